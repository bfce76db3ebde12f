"""`tbtui compare [PATH …]`: runs by metrics. Imports no Textual.

`data` compares, `grid` decides which columns there are, and `text`, `markdown` and `json` write them.
"""

from tbtui.cli.compare.command import run

__all__ = ["run"]
