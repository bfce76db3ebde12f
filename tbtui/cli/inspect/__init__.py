"""Run `tbtui inspect [PATH …]`: contents and health of event files. Imports no Textual.

`report` collects the facts of a run; `table`, with one `block` for each run, and `json` render them.
"""

from tbtui.cli.inspect.command import run

__all__ = ["run"]
