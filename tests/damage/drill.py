"""Damage real event files in every way, and see that nothing outside the damage is lost.

    python tests/damage/drill.py [FOLDER …] [--records N] [--every N] [--mends N] [--jobs N]

Without a folder, those of `tests/corpus`. For each file and each kind of damage: nothing is raised; every record
outside the damage is read, at its place; every byte is in a record, or told to be damaged or to wait for its rest;
records whose payload is wrong are told and do not count; blocks of any size say the same, and so does who passes over
long records, but for what a block that was moved has put into one. Some damaged files are mended, in place and by a
new file: whoever followed them shows all again, and so does who begins anew, with an index of the damaged file or
without.

Prints how many cases of each kind there were, and ends with 1 when one of these promises was broken.
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
from tbtui.loading.cache.store import IndexFolder, RunIndexes
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
    from tbtui.tfrecord.reader import PartialReader

CORPUS = TESTS / "corpus"
SMALL_BYTES = 30_000
"""Files up to this size are read in small blocks, too."""


class Broken(AssertionError):  # noqa: N818 - a promise, not an error of the drill
    """A promise was broken."""


class Tally:
    """Figures of a drill."""

    def __init__(self) -> None:
        self.files = 0
        self.cases: Counter[str] = Counter()
        self.records = 0
        """Outside the damage, of all cases."""

        self.hidden = 0
        """Records that were put into a long one, so that only who reads these sees them."""

        self.mends = 0
        """Damaged files that were mended and looked at by all who know them."""

    def add(self, other: Tally) -> None:
        """Add the figures of another one."""
        self.files += other.files
        self.cases += other.cases
        self.records += other.records
        self.hidden += other.hidden
        self.mends += other.mends

    def __str__(self) -> str:
        lines = [f"{count:9,}  {kind}" for kind, count in sorted(self.cases.items())]
        total = f"{self.cases.total():9,}  cases in {self.files:,} files, {self.mends:,} of them mended"
        read = f"{self.records:9,}  records outside the damage, all of them read"
        hidden = f"{self.hidden:9,}  records moved into a long one, which are read when its payload is compared"
        return "\n".join((*lines, total, read, hidden))


def event_files(folder: Path) -> list[Path]:
    """The event files below a folder that hold anything."""
    return sorted(path for path in folder.rglob("*tfevents*") if path.is_file() and path.stat().st_size)


def drill(path: Path, other: bytes, scratch: Path, tally: Tally, *, most_records: int, every: int, mends: int) -> None:
    """Damage one file.

    Args:
        path: The file.
        other: Another file.
        scratch: An empty folder.
        tally: Is added to.
        most_records: Records to which each kind of damage is done.
        every: Only one case of so many is tried.
        mends: Of how many tried cases one is mended.

    Raises:
        Broken: A promise was broken; the damaged file is left in the folder.
    """
    good = path.read_bytes()
    records = records_of(good)
    if not records:
        return
    tally.files += 1
    # Of a file that is damaged as it is, a part would be mended: that may stay unseen behind what is still damaged.
    is_sound = sum(end - begin for begin, end in records) == len(good)
    run = scratch / "logs" / "run"
    run.mkdir(parents=True, exist_ok=True)
    target = run / path.name
    # Where one of the cases is picked, another file begins elsewhere.
    first = len(good) % every
    cases = (
        case
        for number, case in enumerate(damages(good, records, other, most_records, path.name))
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
            if is_sound and number % mends == 0 and not _is_right(content, len(good)):
                tally.mends += 1
                check_mended(scratch, target, good, in_place=number // mends % 2 == 0)
        except Exception as error:
            target.write_bytes(content)
            raise Broken(f"{path}: {case.kind}, see {target}: {error!r}") from error
    target.unlink(missing_ok=True)


def _is_right(content: bytes, size: int) -> bool:
    """Whether nothing in a file of this size is wrong, as when records were swapped: then there is nothing to mend."""
    return len(content) == size and sum(end - begin for begin, end in records_of(content)) == size


def check(path: Path, content: bytes, outside: Sequence[Extent]) -> int:
    """Look at one damaged file.

    Returns:
        How many of its records only those see who read long records, too.

    Raises:
        Broken: A promise was broken.
    """
    read = _read(path)
    found = set(read.records)
    lost = set(outside) - found
    _demand(not lost, f"{len(lost)} records outside the damage are lost, the first at {min(lost, default=None)}")
    covered = np.zeros(len(content), np.int8)
    for begin, end in read.records:
        covered[begin:end] += 1
    for place in read.damage:
        covered[place.offset : place.offset + place.bytes_skipped] += 1
    if read.waiting is not None:
        covered[read.waiting :] += 1
    _demand((covered == 1).all(), f"not told of exactly once: byte {np.argmax(covered != 1)}")
    _check_payloads(read)
    if len(content) <= SMALL_BYTES:
        small = _read(path, 500)
        _demand((small.records, small.waiting) == (read.records, read.waiting), "small blocks say something else")
    if max((end - begin for begin, end in found), default=0) > MIN_LONG_BYTES:
        hidden = _hidden(set(_read(path, read_partial=RunDecoder().read_partial).records), found, read.damage)
        if hidden is None:
            raise Broken("who passes over long records finds others")
        return hidden
    return 0


def _hidden(skimmed: set[Extent], found: set[Extent], damage: Sequence[Damage]) -> int | None:
    """How many records who passes over long records does not see in one of them before the first damage.

    None: There are others that are not seen, or some that should not be.
    """
    hidden, over = found - skimmed, skimmed - found
    begins = min((place.offset for place in damage), default=0)
    if any(end - begin < MIN_LONG_BYTES or begin > begins for begin, end in over):
        return None
    if any(not any(begin <= one.begin and one.end <= end for begin, end in over) for one in hidden):
        return None
    return len(hidden)


class Read(NamedTuple):
    """What is read of a file."""

    blocks: list[RecordBlock]
    records: list[Extent]
    damage: list[Damage]
    waiting: int | None
    """Where an unfinished record begins."""


def _read(path: Path, max_bytes: int = 1 << 30, read_partial: PartialReader | None = None) -> Read:
    reader = RecordReader(str(path), read_partial=read_partial)
    blocks = [reader.read(max_bytes)]
    while not blocks[-1].at_end:
        blocks.append(reader.read(max_bytes))
    records: list[Extent] = []
    for block in blocks:
        begins = block.offsets - HEADER_BYTES
        records += map(Extent, begins.tolist(), (begins + block.lengths + OVERHEAD_BYTES).tolist())
    damage = [place for block in blocks for place in block.damage]
    return Read(blocks, records, damage, reader.offset if blocks[-1].truncated else None)


def _check_payloads(read: Read) -> None:
    """Require that exactly the records with a right payload count, once one of their file is right.

    Raises:
        Broken: A promise was broken.
    """
    decoder, judge = RunDecoder(whole=True), RunDecoder(whole=True)
    is_verified = False
    for block in read.blocks:
        wrong = block.mismatches()
        right = np.setdiff1d(np.arange(len(block)), wrong)
        first = 0 if is_verified else int(right[0]) if len(right) else len(block)
        is_verified |= bool(len(right))
        kept = np.union1d(right, wrong[wrong < first])
        events, expected = decoder.decode(block), judge.decode(_only(block, kept))
        skipped = {place.offset for place in events.damage if place.kind == "payload_checksum" and place.bytes_skipped}
        lost = wrong[wrong >= first]
        _demand(skipped == {block.offset(row) for row in lost[:1].tolist()}, "a wrong payload is not told")
        _demand(set(expected.new_tags) == set(events.new_tags), "a record with a wrong payload shows a new tag")
        _demand(_points(events) == _points(expected), "a record with a wrong payload hides another")


def _points(events: EventBlock) -> dict[str, list[bytes]]:
    """Return all points of a block by tag, to the last bit."""
    held = {**events.scalars, **events.references}
    return {tag: [column.tobytes() for column in points] for tag, points in held.items()}


def _only(block: RecordBlock, rows: npt.NDArray[np.int64]) -> RecordBlock:
    """Some records of a block."""
    return replace(block, starts=block.starts[rows], lengths=block.lengths[rows], offsets=block.offsets[rows])


def check_mended(scratch: Path, path: Path, good: bytes, *, in_place: bool) -> None:
    """Look at a damaged file before and after it is mended.

    Raises:
        Broken: Somebody does not show all of it.
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

    kept = {True: "large payloads read", False: "large payloads not read"}
    followers = {care: loader(whole=care) for care in kept}
    for care, name in kept.items():
        followers[care].load_all()
        loader(name, whole=care).load_all()
    # A wrong large payload that was not read says nothing of having been mended.
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
    for care in (True, False):
        follower = followers.get(care)
        if follower is None:
            continue
        expected = _told(loader(whole=care))
        _demand(_told(follower) == expected, f"who followed the file does not show that it was mended; {kept[care]}")
        begun = _told(loader(kept[care], whole=care))
        _demand(begun == expected, f"an index of the damaged file hides that it was mended; {kept[care]}")
    for file in index.rglob("*"):
        if file.is_file():
            file.unlink()


def _told(loader: Loader) -> Any:
    loader.load_all()
    return state_contents(loader.state)


def _demand(kept: Any, what: str) -> None:
    if not kept:
        raise Broken(what)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder, in memory where there is such a place; it stays when something is raised."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    yield folder
    shutil.rmtree(folder)


def _drilled(path: Path, other: Path, **how: int) -> tuple[Tally, str | None]:
    """Figures of one file, and which promise was broken."""
    tally = Tally()
    try:
        with scratch_folder() as scratch:
            drill(path, other.read_bytes(), scratch, tally, **how)
    except Broken as error:
        return tally, str(error)
    return tally, None


def main() -> int:
    """The whole drill."""
    parser = argparse.ArgumentParser(description="Damage real event files in every way.")
    parser.add_argument("folders", nargs="*", type=Path, default=[CORPUS])
    parser.add_argument("--records", type=int, default=40, help="of a file, to which each kind of damage is done")
    parser.add_argument("--every", type=int, default=1, help="try one case of so many")
    parser.add_argument("--mends", type=int, default=50, help="mend one damaged file of so many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes, each with a file at a time")
    arguments = parser.parse_args()
    files = [path for folder in arguments.folders for path in event_files(folder)]
    tally, broken = Tally(), 0
    begun = time.monotonic()
    # The longest first, so that no process is left alone with one of them at the end.
    pairs = sorted(zip(files, files[1:] + files[:1], strict=True), key=lambda pair: -pair[0].stat().st_size)
    how = {"most_records": arguments.records, "every": arguments.every, "mends": arguments.mends}
    with ProcessPoolExecutor(arguments.jobs) as processes:
        for of_file, error in processes.map(partial(_drilled, **how), *zip(*pairs, strict=True)):
            tally.add(of_file)
            if error is not None:
                broken += 1
                print("BROKEN:", error, flush=True)
    print(tally)
    print(f"{broken:9,}  files with a broken promise; {(time.monotonic() - begun) / 60:.1f} minutes")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
