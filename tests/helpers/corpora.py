"""Find the corpora: event files of real writers, each with an `expected.json` of what TensorBoard's reader returns.

The suite reads only `tests/corpus`. A further one is read too if the environment variable `TBTUI_CORPUS` names it.
"""

from __future__ import annotations

import json
import os
import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

OWN_CORPUS = Path(__file__).parents[1] / "corpus"
CORPORA = [OWN_CORPUS, *(Path(path) for path in [os.environ.get("TBTUI_CORPUS")] if path)]
"""Directories with an `expected.json`."""


OTHER_PLUGINS = {("writers/torch/run1", "vid"): "images"}
"""Tags of another plugin than TensorBoard gives them: a failed `add_video`, which TensorBoard shows nowhere."""


@lru_cache
def expected_runs(corpus: Path) -> dict[str, Any]:
    """Return the expected values of every run directory of a corpus, by its path below the corpus."""
    expected: dict[str, Any] = json.loads((corpus / "expected.json").read_text(encoding="utf-8"))
    for (run, tag), plugin in OTHER_PLUGINS.items():
        if tag in expected.get(run, {}).get("tags", {}):
            expected[run]["tags"][tag]["plugin"] = plugin
    return {run: values for run, values in expected.items() if (corpus / run).is_dir()}


def checksum(values: npt.NDArray[np.float64]) -> int:
    """Return the CRC-32 of numbers as little-endian float64, every NaN as the usual one."""
    return zlib.crc32(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
