"""Asks TensorBoard itself for quantiles and common bins of histograms: see README.md."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from front_end import installed
from keeping import HERE, keep
from odd_histograms import odd_series
from packed_rows import packed, unpacked
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.plugins.distribution.compressor import compress_histogram
from tensorboard.util import tensor_util

if TYPE_CHECKING:
    from odd_histograms import Floats, Series

Json: TypeAlias = Any

FILE = "histograms.json"
BEGINNING = re.compile(r"function\(\w+,\w+=30\)\{if\(!\w+\.length\|\|\w+<1\)return\[\];")
"""Of the front end's function that puts all histograms of a tag into common bins."""

KEPT = 3
"""Histograms of a written series: the first, the last, and one between."""

MANY = 100
"""Histograms of more buckets have the edges of the first writers, each a tenth further out than the one before."""

ANSWER = """
const asked = JSON.parse(require("fs").readFileSync(0)).map((histograms) => histograms.map((rows) => (
  {step: 0, wallTime: 0, bins: rows.map(([left, right, count]) => ({x: left, dx: right - left, y: count}))}
)));
console.log(JSON.stringify(asked.map((histograms) => binned(histograms).map(({bins}) => bins))));
"""


def main() -> None:
    """Collect histograms, have TensorBoard compute with them, and keep what it says beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="*", type=Path, help="whose histograms to take; none: those that are kept")
    parser.add_argument("--node", default="node")
    asked = parser.parse_args()
    written = written_series(asked.logs) if asked.logs else kept_series()
    series = {**written, **odd_series()}
    ladder = ladder_of(written)
    answers = []
    for (name, histograms), shown in zip(series.items(), common_bins(list(series.values()), asked.node), strict=True):
        entries = [
            {
                **packed(rows, ladder),
                "quantiles": [value for _, value in compress_histogram(rows.tolist())],
                "bins": [bin_["y"] for bin_ in bins],
            }
            for rows, bins in zip(histograms, shown, strict=True)
        ]
        x, dx = [bin_["x"] for bin_ in shown[0]], shown[0][0]["dx"] if shown[0] else None
        answers.append({"name": name, "written": name in written, "x": x, "dx": dx, "histograms": entries})
    keep(FILE, {"ladder": ladder, "series": answers})
    print("TensorBoard", version("tensorboard"))


def written_series(logs: list[Path]) -> dict[str, Series]:
    """Histograms of event files, as TensorBoard brings them up to date."""
    series: dict[str, Series] = {}
    for root in logs:
        for path in sorted(path for path in root.rglob("*tfevents*") if path.is_file()):
            plugins: dict[str, str] = {}
            for event in EventFileLoader(str(path)).Load():
                for value in event.summary.value:
                    if plugins.setdefault(value.tag, value.metadata.plugin_data.plugin_name) == "histograms":
                        name = f"{path.parent.relative_to(root.parent).as_posix()}: {value.tag}"
                        series.setdefault(name, []).append(shortened(tensor_util.make_ndarray(value.tensor)))
    return {
        name: [histograms[at] for at in np.unique(np.linspace(0, len(histograms) - 1, KEPT, dtype=int))]
        for name, histograms in series.items()
    }


def shortened(rows: Floats) -> Floats:
    """As float64: for a 32-bit float the shortest number that stands for it, not all its digits."""
    return np.array([[float(str(number)) for number in row] for row in rows], np.float64).reshape(-1, 3)


def kept_series() -> dict[str, Series]:
    """Histograms of event files that were read another time."""
    kept = json.loads((HERE / FILE).read_text(encoding="utf-8"))
    return {
        entry["name"]: [unpacked(histogram, kept["ladder"]) for histogram in entry["histograms"]]
        for entry in kept["series"]
        if entry["written"]
    }


def ladder_of(series: dict[str, Series]) -> list[float]:
    """All inner edges of histograms that have many, ascending."""
    long = [rows[1:, 0] for histograms in series.values() for rows in histograms if len(rows) > MANY]
    return np.unique(np.concatenate(long)).tolist()


def common_bins(series: list[Series], node: str) -> list[Json]:
    """Each series' histograms in the bins that TensorBoard's front end shows them in."""
    script = installed()
    beginnings = BEGINNING.findall(script)
    if len(beginnings) != 1:
        raise SystemExit(f"{len(beginnings)} places in the front end look alike: not the version this was written for")
    binned = function_at(script, script.index(beginnings[0]))
    (name,) = re.findall(r"(\w+)\(\w\.bins,\w,\w\)", binned)
    rebuilt = named_function(script, name, r"\((?:\w,){2}\w\)\{let \w=\[\],\{left:")
    (name,) = re.findall(r"=(\w+)\(\w,\w,\w,!\w\)", rebuilt)
    split = named_function(script, name, r"\((?:\w,){3}\w\)\{let \w=\w\.x,")
    program = "\n".join([rebuilt, split, f"const binned = {binned};", ANSWER])
    question = json.dumps([[rows.tolist() for rows in histograms] for histograms in series])
    answer = subprocess.run([node, "-e", program], input=question, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def named_function(script: str, name: str, rest: str) -> str:
    """A function by its name and by how it goes on, since short names are used again."""
    (beginning,) = re.findall(f"function {name}{rest}", script)
    return function_at(script, script.index(beginning))


def function_at(script: str, start: int) -> str:
    """The text of a function, up to the brace that ends it."""
    depth = 0
    for brace in re.compile("[{}]").finditer(script, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return script[start : brace.end()]
    raise SystemExit("a function of the front end has no end")


if __name__ == "__main__":
    main()
