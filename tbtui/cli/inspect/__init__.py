"""`tbtui inspect [PATH …]`: what is in the event files and how healthy they are. Imports no Textual.

`report` tells what is known of a run; `table`, with a `block` a run, and `json` write it.
"""

from tbtui.cli.inspect.command import run

__all__ = ["run"]
