"""`tbtui export [PATH …]`: writes data for other programs. Imports no Textual.

`logs` hands on what is read, `graphs` makes documents of it, `all` fills a folder with everything, and `terminal` makes
tables safe for a terminal.
"""

from tbtui.cli.export.command import run

__all__ = ["run"]
