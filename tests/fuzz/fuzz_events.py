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
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import atheris

import tbtui.events
import tbtui.terminal_images
import tbtui.tfrecord

if TYPE_CHECKING:
    from collections.abc import Sequence

sys.path.insert(0, str(Path(__file__).parent))

LAZILY = (
    "tbtui.plugins.text.read",
    "tbtui.loading.cache.format",
    "tbtui.settings.persistence",
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

from tbtui.tfrecord.checksum import length_checksum, payload_checksum

SECONDS, MEGABYTES = 10, 2048
INPUTS = 15_000
"""Of one process: to look at which lines are reached takes memory with each input, some 40 kB, whatever is done."""

LONGEST = {"records": 800, "events": 4096, "values": 6000}


def main() -> int:
    """Look for as long as was asked, or until something is found."""
    parser = argparse.ArgumentParser(description="Look for bytes that break a promise.")
    parser.add_argument("check", settings=sorted(CHECKS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--corpus", type=Path, help="where inputs are kept; default: a folder that is not kept")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only try what is in this file")
    parser.add_argument("--once", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    given = sys.argv[1:]
    own = given.index("--") if "--" in given else len(given)
    arguments, more = parser.parse_args(given[:own]), given[own + 1 :]
    check = CHECKS[arguments.check]
    if arguments.show is not None:
        check(arguments.show.read_bytes())
        return 0
    if arguments.once is not None:
        look(arguments.check, arguments.once, arguments.corpus, more)
    end = time.monotonic() + arguments.minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        corpus = arguments.corpus or Path(folder)
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds(arguments.check)):
            (corpus / f"seed-{number:04d}").write_bytes(seed)
        code = 0
        while not code and (left := end - time.monotonic()) > 1:
            words = [arguments.check, "--corpus", str(corpus), "--once", str(left), "--", *more]
            code = subprocess.run([sys.executable, __file__, *words], check=False).returncode
        return code


def look(name: str, seconds: float, corpus: Path, more: Sequence[str]) -> NoReturn:
    """Try inputs in this process, which ends then."""
    options = [
        f"-max_total_time={max(seconds, 1):.0f}",
        f"-runs={INPUTS}",
        f"-timeout={SECONDS}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LONGEST[name]}",
        "-print_final_stats=1",
        *more,
        str(corpus),
    ]
    mutator = {"custom_mutator": mend_checksums} if name == "records" else {}
    atheris.Setup([sys.argv[0], *options], CHECKS[name], **mutator)
    atheris.Fuzz()
    raise SystemExit(0)


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
    sys.exit(main())
