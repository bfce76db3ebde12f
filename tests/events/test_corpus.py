"""Real files of many writers read as TensorBoard's own reader reads them; where a file is damaged, more, never less."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.tfrecord.reader import RecordReader
from tests.helpers.corpora import CORPORA, checksum, expected_runs

if TYPE_CHECKING:
    from pathlib import Path

DAMAGED = {"writers/edge_cases/badcrc", "writers/edge_cases/badlen"}
SHAPES = TemplateCache()


def read_run(directory: Path, max_bytes: int) -> dict[str, dict[str, Any]]:
    decoder = RunDecoder(SHAPES)
    plugins: dict[str, str] = {}
    steps: dict[str, list[int]] = {}
    wall_times: dict[str, list[float]] = {}
    values: dict[str, list[float]] = {}
    for path in sorted(directory.glob("*tfevents*")):
        reader = RecordReader(str(path))
        at_end = False
        while not at_end:
            block = reader.read(max_bytes)
            events, at_end = decoder.decode(block), block.at_end
            plugins |= {info.tag: info.plugin_name for info in events.new_tags}
            for tag, columns in {**events.scalars, **events.references}.items():
                steps.setdefault(tag, []).extend(columns.steps.tolist())
                wall_times.setdefault(tag, []).extend(columns.wall_times.tolist())
            for tag, scalars in events.scalars.items():
                values.setdefault(tag, []).extend(scalars.values.tolist())
    return {tag: describe(plugins[tag], steps[tag], wall_times[tag], values.get(tag)) for tag in steps}


def describe(plugin: str, steps: list[int], wall_times: list[float], values: list[float] | None) -> dict[str, Any]:
    found = {
        "plugin": plugin,
        "count": len(steps),
        "first_step": steps[0],
        "last_step": steps[-1],
        "first_wall_time": repr(wall_times[0]),
        "last_wall_time": repr(wall_times[-1]),
    }
    if values is None:
        return found
    array = np.array(values)
    finite = array[np.isfinite(array)]
    return found | {
        "crc": checksum(array),
        "crc_steps": zlib.crc32(np.array(steps, "<i8").tobytes()),
        "crc_times": checksum(np.array(wall_times)),
        "first": repr(float(array[0])),
        "last": repr(float(array[-1])),
        "min": repr(float(finite.min())) if len(finite) else None,
        "max": repr(float(finite.max())) if len(finite) else None,
        "nan": int(np.isnan(array).sum()),
        "inf": int(np.isinf(array).sum()),
    }


@pytest.mark.parametrize("corpus", CORPORA, ids=str)
@pytest.mark.parametrize("max_bytes", [4000, 1 << 21])
def test_corpus_runs_read_like_tensorboard(corpus: Path, max_bytes: int) -> None:
    for run, expected in expected_runs(corpus).items():
        found = read_run(corpus / run, max_bytes)
        if run not in DAMAGED:
            assert found == expected["tags"], run
            continue
        assert expected["tags"].keys() <= found.keys()
        assert all(found[tag]["count"] >= tag_expected["count"] for tag, tag_expected in expected["tags"].items())
