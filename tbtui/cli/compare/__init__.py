"""Run `tbtui compare [PATH …]`: a table of runs and metrics. Imports no Textual.

`data` compares, `grid` selects the columns, and `text`, `markdown` and `json` render them.
"""

from tbtui.cli.compare.command import run

__all__ = ["run"]
