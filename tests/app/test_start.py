"""Imports before the first screen is drawn."""

from __future__ import annotations

import subprocess
import sys

NEEDED = (
    "tbtui.cli.main, tbtui.cli.dashboard, tbtui.loading.loader, tbtui.loading.sources, tbtui.settings.persistence, "
    "tbtui.app.app, tbtui.cli.session, tbtui.plugins.scalars.pane.pane"
)
ALSO_LATER = ("numpy.random", "tbtui.terminal_images")
LATER = ("regex", "watchfiles", "google_crc32c", "PIL", "plotext", "pygments", "email", "http")


def test_start_imports_only_what_the_first_screen_needs() -> None:
    # numpy below 2 imports its random numbers by itself.
    code = f"""
import sys, numpy
before = set(sys.modules)
import {NEEDED}
later = {{name for name in sys.modules if name.split(".")[0] in {LATER} or name.startswith({ALSO_LATER})}} - before
sys.exit(f"imported {{later}}" if later else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
