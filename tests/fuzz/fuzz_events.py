"""Look for bytes that break a promise, guided by which lines of tbtui they reach.

    pip install 'tbtui[fuzz]'
    python tests/fuzz/fuzz_events.py records --minutes 10

What is looked at is one of `records` (files of any bytes), `events` (records of any payloads) and `values` (what
plugins read, indexes, saved choices); `fuzz_checks.py` says what must hold. An input that takes longer than ten seconds
or more than 2 GB is a finding, too. What was found is written to the working directory, and shown again by

    python tests/fuzz/fuzz_events.py records --show FILE

Options behind `--` are libFuzzer's. Inputs that reach something new are kept in the folder given by --corpus, to go on
from there.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import random
import struct
import sys
import tempfile
from pathlib import Path

import atheris

import tbtui.events
import tbtui.graphics
import tbtui.records

sys.path.insert(0, str(Path(__file__).parent))

LAZILY = (
    "tbtui.loading.texts",
    "tbtui.loading.index.run_index",
    "tbtui.viewstate.saved",
    "tbtui.plugins.text.document",
)
"""What the checks import when they are asked; what is imported outside of this is not looked into."""

with atheris.instrument_imports(include=["tbtui"]):
    from fuzz_checks import CHECKS

    for room in (tbtui.records, tbtui.events, tbtui.graphics):
        for found in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            importlib.import_module(found.name)
    for name in LAZILY:
        importlib.import_module(name)
from fuzz_seeds import seeds

from tbtui.records.checksum import length_checksum, payload_checksum

SECONDS, MEGABYTES = 10, 2048
LONGEST = {"records": 800, "events": 4096, "values": 6000}


def main() -> None:
    """Begin; never returns when nothing is found before the time is over."""
    parser = argparse.ArgumentParser(description="Look for bytes that break a promise.")
    parser.add_argument("check", choices=sorted(CHECKS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--corpus", type=Path, help="where inputs are kept; default: a folder that is not kept")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only try what is in this file")
    parser.add_argument("more", nargs="*", help="options of libFuzzer, behind --")
    arguments = parser.parse_args()
    check = CHECKS[arguments.check]
    if arguments.show is not None:
        check(arguments.show.read_bytes())
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = arguments.corpus or Path(folder)
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds(arguments.check)):
            (corpus / f"seed-{number:04d}").write_bytes(seed)
        options = [
            f"-max_total_time={arguments.minutes * 60:.0f}",
            f"-timeout={SECONDS}",
            f"-rss_limit_mb={MEGABYTES}",
            f"-max_len={LONGEST[arguments.check]}",
            "-print_final_stats=1",
            *arguments.more,
            str(corpus),
        ]
        mutator = {"custom_mutator": mend_checksums} if arguments.check == "records" else {}
        atheris.Setup([sys.argv[0], *options], check, **mutator)
        atheris.Fuzz()


def mend_checksums(data: bytes, max_size: int, seed: int) -> bytes:
    """Change a file of records and make most of its checksums right again, without which little of it is ever read."""
    chance = random.Random(seed)
    changed = bytearray(atheris.Mutate(bytes(data), max_size))
    at = 2
    while at + 16 <= len(changed) and chance.random() < 0.95:
        length = int.from_bytes(changed[at : at + 8], "little")
        if length > len(changed):
            length = chance.randrange(0, 80) if chance.random() < 0.9 else length
        if chance.random() < 0.95:
            struct.pack_into("<QI", changed, at, length, length_checksum(length))
        end = at + 12 + length
        if end + 4 <= len(changed) and chance.random() < 0.8:
            struct.pack_into("<I", changed, end, payload_checksum(bytes(changed[at + 12 : end])))
        at = at + 16 + length if chance.random() < 0.8 else at + chance.randrange(1, 40)
    return bytes(changed[:max_size])


if __name__ == "__main__":
    main()
