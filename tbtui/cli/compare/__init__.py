"""Run `tbtui compare [PATH …]`: a table of runs and metrics. Imports no Textual.

`plugins.comparison.compared_runs` compares, and `formats` renders the result.
"""

from tbtui.cli.compare.command import run

__all__ = ["run"]
