"""Compare exports of real files with the values that TensorBoard's own reader returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.cli.main import main
from tbtui.export.formats import FORMATS
from tests.helpers.corpora import checksum
from tests.helpers.tables import rows_of

if TYPE_CHECKING:
    from tbtui.export.formats import Format

CORPUS = Path(__file__).parents[1] / "corpus"
EXPECTED: dict[str, Any] = json.loads((CORPUS / "expected.json").read_text("utf-8"))

DAMAGED = {"writers/edge_cases/badcrc", "writers/edge_cases/badlen"}
"""TensorBoard's reader stops at the damage of these logs and returns fewer values."""


@pytest.mark.parametrize("form", FORMATS)
def test_corpus_export_scalars_equal_tensorboard(form: Format, tmp_path: Path) -> None:
    path = tmp_path / f"all.{form}"
    assert main(["export", str(CORPUS), "-o", str(path)]) == 0
    found: dict[tuple[str, str], list[Any]] = {}
    for run, tag, *numbers in rows_of(path.read_bytes().decode(), form):
        found.setdefault((run, tag), []).append(numbers)
    expected = {
        (run, tag): entry
        for run, held in EXPECTED.items()
        for tag, entry in held["tags"].items()
        if entry["plugin"] == "scalars"
    }
    assert set(found) >= set(expected)
    assert {run for run, _ in set(found) - set(expected)} <= DAMAGED
    for series, entry in expected.items():
        points = found[series]
        if series[0] in DAMAGED:
            assert len(points) >= entry["count"]
            continue
        assert (points[0][0], points[-1][0], len(points)) == (
            entry["first_step"],
            entry["last_step"],
            entry["count"],
        )
        values = np.array([value for *_, value in points], "<f8")
        assert checksum(values) == entry["crc"], series
    assert len(expected) > 50


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_corpus_export_columns_are_bit_identical(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import ipc, parquet

    path = tmp_path / f"all.{ending}"
    assert main(["export", str(CORPUS), "-o", str(path)]) == 0
    table = parquet.read_table(path) if ending == "parquet" else ipc.open_file(path.read_bytes()).read_all()
    places: dict[tuple[str, str], list[int]] = {}
    for place, series in enumerate(zip(table.column("run").to_pylist(), table.column("tag").to_pylist(), strict=True)):
        places.setdefault(series, []).append(place)
    values = table.column("value").to_numpy()
    compared = 0
    for run, held in EXPECTED.items():
        for tag, entry in held["tags"].items():
            if entry["plugin"] == "scalars" and run not in DAMAGED:
                # A name that is not UTF-8 is written with escapes.
                series = tuple(name.encode("utf-8", "backslashreplace").decode() for name in (run, tag))
                assert checksum(values[places[series]]) == entry["crc"]
                compared += 1
    assert compared > 50
