"""Damage real event files in every way, and verify that no record outside the damage is lost.

    python tests/damage/drill.py [FOLDER …] [--records N] [--every N] [--repairs N] [--jobs N]

Without a folder, the files of `tests/corpus` are damaged. For each file and each kind of damage, the drill verifies:

* The reader raises nothing and returns every record outside the damage, at its offset.
* Every byte belongs to one record, to reported damage, or to the incomplete record at the end.
* Records with a wrong payload checksum are reported and do not count.
* The block size makes no difference. Partial reads of long records make none either, except for records that a moved
  block has put into a long record.
* After a damaged file was repaired, in place or by a new file, a loader that followed it shows what a new loader reads,
  and so does a loader with a cache of the damaged file.

The drill prints the number of cases of each kind, and exits with 1 if one of these promises was broken.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent), str(Path(__file__).parent)]

from damages import Extent, damages, records_of

from tbtui.events.decoder import RunDecoder
from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.tfrecord.framing import HEADER_BYTES, MIN_LONG_BYTES, OVERHEAD_BYTES
from tbtui.tfrecord.reader import RecordReader
from tests.helpers.log_directory import START, Clock, state_contents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.events.block import EventBlock
    from tbtui.tfrecord.file import Damage
    from tbtui.tfrecord.framing import RecordBlock
    from tbtui.tfrecord.partial_records import PartialReader

CORPUS = TESTS / "corpus"
SMALL_BYTES = 30_000
"""Files up to this size are also read in small blocks."""


class BrokenPromiseError(AssertionError):
    """A promise of the reader was broken."""


class Tally:
    """Counts of a drill."""

    def __init__(self) -> None:
        self.files = 0
        self.cases: Counter[str] = Counter()
        self.records = 0
        """Records outside the damage, of all cases."""

        self.hidden = 0
        """Records that the damage put into a long record; only a reader of whole payloads finds them."""

        self.repairs = 0
        """Damaged files that were repaired and read again."""

    def add(self, other: Tally) -> None:
        """Add the counts of another drill."""
        self.files += other.files
        self.cases += other.cases
        self.records += other.records
        self.hidden += other.hidden
        self.repairs += other.repairs

    def __str__(self) -> str:
        lines = [f"{count:9,}  {kind}" for kind, count in sorted(self.cases.items())]
        total = f"{self.cases.total():9,}  cases in {self.files:,} files, {self.repairs:,} of them repaired"
        read = f"{self.records:9,}  records outside the damage, all of them read"
        hidden = f"{self.hidden:9,}  records moved into a long record, found when its payload is verified"
        return "\n".join((*lines, total, read, hidden))


def event_files(folder: Path) -> list[Path]:
    """Return the event files below a folder that are not empty."""
    return sorted(path for path in folder.rglob("*tfevents*") if path.is_file() and path.stat().st_size)


def drill(path: Path, other: bytes, scratch: Path, tally: Tally, *, max_records: int, every: int, repairs: int) -> None:
    """Damage one file.

    Args:
        path: The original file.
        other: The content of another file.
        scratch: An empty folder.
        tally: Receives the counts.
        max_records: Maximum number of records to damage.
        every: Try every N-th case.
        repairs: Repair every N-th file of those that are tried.

    Raises:
        BrokenPromiseError: A promise was broken; the damaged file stays in `scratch`.
    """
    good = path.read_bytes()
    records = records_of(good)
    if not records:
        return
    tally.files += 1
    # If the original is damaged itself, a repair may stay hidden behind the rest of the damage.
    is_sound = sum(end - begin for begin, end in records) == len(good)
    run = scratch / "logs" / "run"
    run.mkdir(parents=True, exist_ok=True)
    target = run / path.name
    # The first case differs between files, so that each kind of damage is tried on some of them.
    first = len(good) % every
    cases = (
        case
        for number, case in enumerate(damages(good, records, other, max_records, path.name))
        if number % every == first
    )
    for number, case in enumerate(cases):
        content = case.content(good)
        outside = case.outside(records)
        tally.cases[case.kind] += 1
        tally.records += len(outside)
        target.write_bytes(content)
        try:
            tally.hidden += check(target, content, outside)
            if is_sound and number % repairs == 0 and not _is_valid(content, len(good)):
                tally.repairs += 1
                check_repair(scratch, target, good, in_place=number // repairs % 2 == 0)
        except Exception as error:
            target.write_bytes(content)
            raise BrokenPromiseError(f"{path}: {case.kind}, see {target}: {error!r}") from error
    target.unlink(missing_ok=True)


def _is_valid(content: bytes, size: int) -> bool:
    """Return True if a file of the original size has valid records only, such as one with swapped records."""
    return len(content) == size and sum(end - begin for begin, end in records_of(content)) == size


def check(path: Path, content: bytes, outside: Sequence[Extent]) -> int:
    """Verify what is read of one damaged file.

    Returns:
        The number of records that only a reader of whole long records finds.

    Raises:
        BrokenPromiseError: A promise was broken.
    """
    read = _read(path)
    records = set(read.records)
    lost = set(outside) - records
    _require(not lost, f"{len(lost)} records outside the damage are lost, the first at {min(lost, default=None)}")
    covered = np.zeros(len(content), np.int8)
    for begin, end in read.records:
        covered[begin:end] += 1
    for damage in read.damage:
        covered[damage.offset : damage.offset + damage.bytes_skipped] += 1
    if read.incomplete is not None:
        covered[read.incomplete :] += 1
    _require((covered == 1).all(), f"not covered exactly once: byte {np.argmax(covered != 1)}")
    _check_payloads(read)
    if len(content) <= SMALL_BYTES:
        small = _read(path, 500)
        _require(
            (small.records, small.incomplete) == (read.records, read.incomplete), "small blocks give other records"
        )
    if max((end - begin for begin, end in records), default=0) > MIN_LONG_BYTES:
        partial_read = set(_read(path, read_partial=RunDecoder().read_partial).records)
        hidden = _hidden(partial_read, records, read.damage)
        if hidden is None:
            raise BrokenPromiseError("partial reads of long records give other records")
        return hidden
    return 0


def _hidden(partial_read: set[Extent], whole_read: set[Extent], damage: Sequence[Damage]) -> int | None:
    """Return how many records a partial read misses inside a long record before the first damage.

    Returns None if it misses others, or returns a record that does not exist.
    """
    hidden, long_records = whole_read - partial_read, partial_read - whole_read
    first_damage = min((item.offset for item in damage), default=0)
    if any(end - begin < MIN_LONG_BYTES or begin > first_damage for begin, end in long_records):
        return None
    if any(not any(begin <= record.begin and record.end <= end for begin, end in long_records) for record in hidden):
        return None
    return len(hidden)


class Read(NamedTuple):
    """What a reader returns for a file."""

    blocks: list[RecordBlock]
    records: list[Extent]
    damage: list[Damage]
    incomplete: int | None
    """Offset of an incomplete record at the end."""


def _read(path: Path, max_bytes: int = 1 << 30, read_partial: PartialReader | None = None) -> Read:
    reader = RecordReader(str(path), read_partial=read_partial)
    blocks = [reader.read(max_bytes)]
    while not blocks[-1].at_end:
        blocks.append(reader.read(max_bytes))
    records: list[Extent] = []
    for block in blocks:
        begins = block.offsets - HEADER_BYTES
        records += map(Extent, begins.tolist(), (begins + block.lengths + OVERHEAD_BYTES).tolist())
    damage = [item for block in blocks for item in block.damage]
    return Read(blocks, records, damage, reader.offset if blocks[-1].truncated else None)


def _check_payloads(read: Read) -> None:
    """Verify that exactly the records with a matching payload count, once one record of the file has matched.

    Raises:
        BrokenPromiseError: A promise was broken.
    """
    decoder, reference = RunDecoder(whole=True), RunDecoder(whole=True)
    is_verified = False
    for block in read.blocks:
        wrong = block.find_mismatches()
        valid = np.setdiff1d(np.arange(len(block)), wrong)
        first = 0 if is_verified else int(valid[0]) if len(valid) else len(block)
        is_verified |= bool(len(valid))
        counted = np.union1d(valid, wrong[wrong < first])
        events, expected = decoder.decode(block), reference.decode(_only(block, counted))
        skipped = {item.offset for item in events.damage if item.kind == "payload_checksum" and item.bytes_skipped}
        lost = wrong[wrong >= first]
        _require(skipped == {block.offset(row) for row in lost[:1].tolist()}, "a wrong payload is not reported")
        _require(set(expected.new_tags) == set(events.new_tags), "a record with a wrong payload shows a new tag")
        _require(_points(events) == _points(expected), "a record with a wrong payload hides another")


def _points(events: EventBlock) -> dict[str, list[bytes]]:
    """Return all points of a block by tag, to the last bit."""
    tags = {**events.scalars, **events.references}
    return {tag: [column.tobytes() for column in points] for tag, points in tags.items()}


def _only(block: RecordBlock, rows: npt.NDArray[np.int64]) -> RecordBlock:
    """Return a block with only these records."""
    return replace(block, starts=block.starts[rows], lengths=block.lengths[rows], offsets=block.offsets[rows])


def check_repair(scratch: Path, path: Path, good: bytes, *, in_place: bool) -> None:
    """Load a damaged file, repair it, and load it again.

    Raises:
        BrokenPromiseError: A loader does not show the repaired file.
    """
    sources, clock = parse_sources([str(scratch / "logs")]), Clock()
    index = scratch / "index"

    def loader(name: str | None = None, *, whole: bool) -> Loader:
        indexes = RunIndexes(IndexFolder(index / name), min_bytes=1) if name else None
        return Loader(
            sources,
            clock=clock,
            now=lambda: START,
            indexes=indexes,
            whole=whole,
        )

    names = {True: "large payloads read", False: "large payloads not read"}
    followers = {whole: loader(whole=whole) for whole in names}
    for whole, name in names.items():
        followers[whole].load_all()
        loader(name, whole=whole).load_all()
    # The repair of a large payload that was never read cannot be detected.
    if all(file.state == "ok" for run in followers[False].state.snapshot.runs.values() for file in run.files):
        del followers[False]
    if in_place:
        with path.open("r+b") as file:
            file.write(good)
            file.truncate()
    else:
        copy = path.with_name("copy")
        copy.write_bytes(good)
        copy.replace(path)
    clock.advance(10_000)
    for whole, follower in followers.items():
        expected = _contents(loader(whole=whole))
        _require(_contents(follower) == expected, f"the follower does not show the repair; {names[whole]}")
        cached = _contents(loader(names[whole], whole=whole))
        _require(cached == expected, f"the cache of the damaged file hides the repair; {names[whole]}")
    for file in index.rglob("*"):
        if file.is_file():
            file.unlink()


def _contents(loader: Loader) -> Any:
    loader.load_all()
    return state_contents(loader.state)


def _require(condition: Any, promise: str) -> None:
    if not condition:
        raise BrokenPromiseError(promise)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder, in memory if possible; it is kept if an exception is raised."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    yield folder
    shutil.rmtree(folder)


def _drill_file(path: Path, other: Path, **extent: int) -> tuple[Tally, str | None]:
    """Return the counts of one file, and the promise that was broken."""
    tally = Tally()
    try:
        with scratch_folder() as scratch:
            drill(path, other.read_bytes(), scratch, tally, **extent)
    except BrokenPromiseError as error:
        return tally, str(error)
    return tally, None


def main() -> int:
    """Run the drill; return the exit status."""
    parser = argparse.ArgumentParser(description="Damage real event files in every way.")
    parser.add_argument("folders", nargs="*", type=Path, default=[CORPUS])
    parser.add_argument(
        "--records", type=int, default=40, help="maximum number of damaged records per file (default: 40)"
    )
    parser.add_argument("--every", type=int, default=1, help="try every N-th case (default: 1)")
    parser.add_argument("--repairs", type=int, default=50, help="repair every N-th damaged file (default: 50)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes (default: cores)")
    arguments = parser.parse_args()
    files = [path for folder in arguments.folders for path in event_files(folder)]
    tally, broken = Tally(), 0
    started = time.monotonic()
    # The longest first, so that all processes end at about the same time.
    pairs = sorted(zip(files, files[1:] + files[:1], strict=True), key=lambda pair: -pair[0].stat().st_size)
    extent = {"max_records": arguments.records, "every": arguments.every, "repairs": arguments.repairs}
    with ProcessPoolExecutor(arguments.jobs) as processes:
        for file_tally, error in processes.map(partial(_drill_file, **extent), *zip(*pairs, strict=True)):
            tally.add(file_tally)
            if error is not None:
                broken += 1
                print("BROKEN:", error, flush=True)
    print(tally)
    print(f"{broken:9,}  files with a broken promise; {(time.monotonic() - started) / 60:.1f} minutes")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
