"""`python -m tbtui` is the console script `tbtui`."""

from tbtui.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
