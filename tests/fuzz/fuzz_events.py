"""Search for bytes that break a promise, guided by the lines of tbtui that an input reaches.

    pip install 'tbtui[fuzz]'
    python tests/fuzz/fuzz_events.py records --minutes 10

The check is `records` (files of any bytes), `events` (records with any payload) or `values` (what plugins, the cache
and the settings read); `fuzz_checks.py` contains what must hold. An input that takes longer than ten seconds or more
than 2 GB is a finding, too. A finding is written to the working directory. To repeat it:

    python tests/fuzz/fuzz_events.py records --show FILE

Options after `--` are those of libFuzzer. `--corpus` names a folder that keeps inputs which reach new lines, so that a
later search can continue.
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

LAZY_MODULES = (
    "tbtui.plugins.text.read",
    "tbtui.loading.cache.format",
    "tbtui.settings.persistence",
    "tbtui.plugins.text.document",
)
"""Modules that checks import when they run; modules imported elsewhere are not instrumented."""

with atheris.instrument_imports(include=["tbtui"]):
    from fuzz_checks import CHECKS

    for package in (tbtui.tfrecord, tbtui.events, tbtui.terminal_images):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in LAZY_MODULES:
        importlib.import_module(name)
from fuzz_seeds import seeds

from tbtui.tfrecord.checksum import compute_length_checksum, compute_payload_checksum

MAX_SECONDS, MAX_MEGABYTES = 10, 2048
MAX_INPUTS = 15_000
"""Inputs per process: instrumentation keeps about 40 kB per input."""

MAX_INPUT_BYTES = {"records": 800, "events": 4096, "values": 6000}


def main() -> int:
    """Search for the requested time, or until the first finding."""
    parser = argparse.ArgumentParser(description="Search for bytes that break a promise.")
    parser.add_argument("check", choices=sorted(CHECKS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--corpus", type=Path, help="folder that keeps inputs (default: a temporary one)")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only check the input in this file")
    parser.add_argument("--once", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:end]), words[end + 1 :]
    check = CHECKS[arguments.check]
    if arguments.show is not None:
        check(arguments.show.read_bytes())
        return 0
    if arguments.once is not None:
        search(arguments.check, arguments.once, arguments.corpus, options)
    deadline = time.monotonic() + arguments.minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        corpus = arguments.corpus or Path(folder)
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds(arguments.check)):
            (corpus / f"seed-{number:04d}").write_bytes(seed)
        code = 0
        while not code and (seconds := deadline - time.monotonic()) > 1:
            words = [arguments.check, "--corpus", str(corpus), "--once", str(seconds), "--", *options]
            code = subprocess.run([sys.executable, __file__, *words], check=False).returncode
        return code


def search(name: str, seconds: float, corpus: Path, more_options: Sequence[str]) -> NoReturn:
    """Check inputs in this process, and end it."""
    options = [
        f"-max_total_time={max(seconds, 1):.0f}",
        f"-runs={MAX_INPUTS}",
        f"-timeout={MAX_SECONDS}",
        f"-rss_limit_mb={MAX_MEGABYTES}",
        f"-max_len={MAX_INPUT_BYTES[name]}",
        "-print_final_stats=1",
        *more_options,
        str(corpus),
    ]
    mutator = {"custom_mutator": repair_checksums} if name == "records" else {}
    atheris.Setup([sys.argv[0], *options], CHECKS[name], **mutator)
    atheris.Fuzz()
    raise SystemExit(0)


def repair_checksums(data: bytes, max_size: int, seed: int) -> bytes:
    """Mutate a file of records and correct most checksums, because the reader skips records with wrong ones."""
    chance = random.Random(seed)
    changed = bytearray(atheris.Mutate(bytes(data), max_size))
    at = 2
    while at + 16 <= len(changed) and chance.random() < 0.95:
        length = int.from_bytes(changed[at : at + 8], "little")
        if length > len(changed):
            length = chance.randrange(0, 80) if chance.random() < 0.9 else length
        if chance.random() < 0.95:
            struct.pack_into("<QI", changed, at, length, compute_length_checksum(length))
        end = at + 12 + length
        if end + 4 <= len(changed) and chance.random() < 0.8:
            struct.pack_into("<I", changed, end, compute_payload_checksum(bytes(changed[at + 12 : end])))
        at = at + 16 + length if chance.random() < 0.8 else at + chance.randrange(1, 40)
    return bytes(changed[:max_size])


if __name__ == "__main__":
    sys.exit(main())
