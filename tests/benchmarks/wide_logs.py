"""Write log directories of very many series, files or runs in seconds.

The records of a run are built once. Every other run copies them and replaces wall times, values and checksums.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.events.schema import get_message_class
from tbtui.tfrecord.checksum import compute_payload_checksums
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, frame_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

BEGAN = 1_700_000_000
_KINDS = ("grad_norm", "weight/mean", "weight/std", "act_rms", "update")


class _Sample(NamedTuple):
    """The bytes of one file, and where its numbers are."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def of(cls, tags: Sequence[str], steps: Iterable[int]) -> _Sample:
        """Return records of one simple value each, step after step, as PyTorch writes them."""
        payloads = [_scalar(tag, step) for step in steps for tag in tags]
        lengths = np.array(list(map(len, payloads)), np.int64)
        starts = np.cumsum(lengths + HEADER_BYTES + FOOTER_BYTES) - lengths - FOOTER_BYTES
        data = np.frombuffer(b"".join(map(frame_record, payloads)), np.uint8).copy()
        return cls(data, starts, lengths)

    def with_numbers(self, wall_times: npt.NDArray[np.float64], values: npt.NDArray[np.float32]) -> bytes:
        """Return the bytes with other wall times and values, one of each for every record."""
        data, ends = self.data.copy(), self.starts + self.lengths
        data[self.starts[:, None] + np.arange(1, 9)] = wall_times.astype("<f8").view(np.uint8).reshape(-1, 8)
        data[ends[:, None] + np.arange(-4, 0)] = values.astype("<f4").view(np.uint8).reshape(-1, 4)
        held = data.tobytes()
        sums = compute_payload_checksums(
            held[start:end] for start, end in zip(self.starts.tolist(), ends.tolist(), strict=True)
        )
        data[ends[:, None] + np.arange(4)] = sums.astype("<u4").view(np.uint8).reshape(-1, 4)
        return data.tobytes()


def _scalar(tag: str, step: int) -> bytes:
    event = get_message_class("Event")(wall_time=1.5, step=step)
    event.summary.value.add(tag=tag, simple_value=0.5)
    payload: bytes = event.SerializeToString()
    return payload


def _version(wall_time: float) -> bytes:
    event = get_message_class("Event")(wall_time=wall_time, file_version="brain.Event:2")
    return frame_record(event.SerializeToString())


def layer_tags(count: int) -> list[str]:
    """Return tags as a logger of layers names them, of many lengths."""
    return [f"layer{number // len(_KINDS)}/{_KINDS[number % len(_KINDS)]}" for number in range(count)]


def write_wide(logs: Path, runs: int, tags: Sequence[str], steps: int) -> None:
    """Write runs of many tags with few points each, one file a run."""
    sample = _Sample.of(tags, range(0, 100 * steps, 100))
    count = len(tags) * steps
    falling = np.repeat(1 / (1 + np.arange(steps)), len(tags))
    for run in range(runs):
        random = np.random.default_rng(run)
        began = BEGAN + 60.0 * run
        wall_times = (
            began + 1 + np.repeat(np.arange(steps) * 10.0, len(tags)) + np.tile(np.arange(len(tags)), steps) * 1e-4
        )
        values = (falling * random.random(count)).astype(np.float32)
        directory = logs / f"sweep{run % 10}" / f"run{run:04d}"
        directory.mkdir(parents=True)
        (directory / f"events.out.tfevents.{int(began)}.host.{run}.0").write_bytes(
            _version(began) + sample.with_numbers(wall_times, values)
        )


def write_small_files(logs: Path, runs: int, files: int) -> None:
    """Write runs of many files of 40 records each, an hour apart (TensorBoard issue 1915)."""
    tags = ("loss", "acc", "lr", "grad")
    samples = [_Sample.of(tags, range(10 * file, 10 * file + 10)) for file in range(files)]
    for run in range(runs):
        directory = logs / f"model{run:03d}"
        directory.mkdir(parents=True)
        random = np.random.default_rng(run)
        for file, sample in enumerate(samples):
            began = BEGAN + (run * files + file) * 3600
            wall_times = began + np.repeat(np.arange(10.0), len(tags))
            content = _version(began) + sample.with_numbers(wall_times, random.random(40).astype(np.float32))
            (directory / f"events.out.tfevents.{began}.host").write_bytes(content)


def write_hparams(logs: Path, runs: int, count: int) -> None:
    """Write runs of one session each: hyperparameters, ten losses, the end."""
    sample = _Sample.of(("loss",), range(10))
    experiment = _hparams_record("_hparams_/experiment", _experiment(count))
    end = get_message_class("HParamsPluginData")(version=0)
    end.session_end_info.status = 1
    for run in range(runs):
        random = np.random.default_rng(run)
        start = get_message_class("HParamsPluginData")(version=0)
        start.session_start_info.start_time_secs = BEGAN + run
        for number in range(count):
            start.session_start_info.hparams[f"param{number:02d}"].number_value = float(random.random())
        directory = logs / f"trial{run:05d}"
        directory.mkdir(parents=True)
        losses = sample.with_numbers(BEGAN + run + np.arange(10.0), random.random(10).astype(np.float32))
        (directory / f"events.out.tfevents.{BEGAN + run}.host").write_bytes(
            _version(BEGAN + run)
            + experiment
            + _hparams_record("_hparams_/session_start_info", start)
            + losses
            + _hparams_record("_hparams_/session_end_info", end)
        )


def _experiment(count: int) -> object:
    data = get_message_class("HParamsPluginData")(version=0)
    for number in range(count):
        data.experiment.hparam_infos.add(name=f"param{number:02d}", type=3)
    data.experiment.metric_infos.add().name.tag = "loss"
    return data


def _hparams_record(tag: str, data: object) -> bytes:
    event = get_message_class("Event")(wall_time=float(BEGAN))
    value = event.summary.value.add(tag=tag)
    value.metadata.plugin_data.plugin_name = "hparams"
    value.metadata.plugin_data.content = data.SerializeToString()  # type: ignore[attr-defined]
    return frame_record(event.SerializeToString())


def write_long(logs: Path, points: int = 1_000_000, tags: int = 50) -> None:
    """Write one run of long curves."""
    names = [f"group{number % 5}/metric{number}" for number in range(tags)]
    steps = points // tags
    sample = _Sample.of(names, range(steps))
    wall_times = BEGAN + np.arange(points) / 1000
    values = np.random.default_rng(0).random(points).astype(np.float32)
    (logs / "run").mkdir(parents=True)
    (logs / "run" / f"events.out.tfevents.{BEGAN}.host").write_bytes(
        _version(BEGAN) + sample.with_numbers(wall_times, values)
    )


LOGS = {
    "long": write_long,
    "series-100k": lambda logs: write_wide(logs, 200, layer_tags(500), 5),
    "series-1m": lambda logs: write_wide(logs, 1000, layer_tags(1000), 5),
    "tags-5000": lambda logs: write_wide(logs, 20, layer_tags(5000), 5),
    "files-1k": lambda logs: write_small_files(logs, 5, 200),
    "files-45k": lambda logs: write_small_files(logs, 450, 100),
    "hparams": lambda logs: write_hparams(logs, 5000, 40),
}
"""The logs of the table in docs/benchmarks.md, by name."""


def main() -> None:
    """Write the named logs: `wide_logs.py DIRECTORY [NAME …]`."""
    directory = Path(sys.argv[1])
    for name in sys.argv[2:] or LOGS:
        LOGS[name](directory / name)


if __name__ == "__main__":
    main()
