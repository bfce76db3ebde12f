"""`python -m tbtui` is the console script `tbtui`."""

from tbtui.cli.main import program

if __name__ == "__main__":
    program()
