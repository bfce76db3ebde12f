"""Every property of what files hold on 100,000 generated cases each, over as many sessions as that takes.

    python tests/drills/properties.py [TESTS …] [--jobs N] [--again]

A property is a test that Hypothesis generates the cases of; without TESTS, those of the rooms that read files. Each
runs in a process of its own with the profile `nightly`, and what came of it is written behind `properties.jsonl` at
once, so that the drill may be stopped at any time. The next one passes over what is recorded there as passed, unless it
is to be tried again. Ends with 1 when one failed; its output is in the record.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("properties.jsonl")
READERS = ("tests/tfrecord", "tests/events", "tests/loading", "tests/fuzz")
PROFILE = ("-m", "hypothesis", "--hypothesis-profile", "nightly", "-o", "timeout=0")
IN_MEMORY = Path("/dev/shm")
"""Where files take no time, on Linux: to make one takes a disk as long as a case, and half of the properties do so."""

LAST_LINES = 60
"""So much of what a failed property printed is recorded: the case that failed is at the end."""


def pytest(*words: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest in the checkout."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    environment = {"TMPDIR": str(IN_MEMORY), **os.environ} if IN_MEMORY.is_dir() else None
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment)


def properties(tests: list[str]) -> list[str]:
    """The node ids of the properties among some tests."""
    listed = pytest("--collect-only", *PROFILE[:2], *tests).stdout.splitlines()
    return [line for line in listed if "::" in line]


def recorded() -> list[dict[str, Any]]:
    """What earlier drills have found, one a property and drill."""
    return [json.loads(line) for line in RECORD.read_text().splitlines()] if RECORD.exists() else []


def tried(test: str) -> dict[str, Any]:
    """What comes of one property."""
    where = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(where, check=False, capture_output=True, text=True)
    began = time.monotonic()
    done = pytest(*PROFILE, test)
    found = {
        "property": test,
        "passed": done.returncode == 0,
        "seconds": round(time.monotonic() - began),
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
    }
    return found if found["passed"] else {**found, "output": done.stdout.splitlines()[-LAST_LINES:]}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", metavar="TESTS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    known = properties(arguments.tests or list(READERS))
    passed = set() if arguments.again else {found["property"] for found in recorded() if found["passed"]}
    left = [test for test in known if test not in passed]
    print(f"{len(known)} properties, {len(known) - len(left)} of them recorded as passed", flush=True)
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool, RECORD.open("a", encoding="utf-8") as record:
        for future in as_completed([pool.submit(tried, test) for test in left]):
            found = future.result()
            failed += not found["passed"]
            print(json.dumps(found), file=record, flush=True)
            print(
                f"{'passed' if found['passed'] else 'FAILED'} in {found['seconds']} s: {found['property']}", flush=True
            )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
