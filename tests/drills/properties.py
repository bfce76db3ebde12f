"""Run every property of code that reads files on 100,000 generated cases, over as many sessions as that takes.

    python tests/drills/properties.py [TESTS …] [--jobs N] [--again]

A property is a test with cases that Hypothesis generates; without TESTS, those of the packages that read files. Each
property runs in its own process with the profile `nightly`, and its result is appended to `properties.jsonl` at once,
so that the drill can be stopped at any time. The next drill skips properties that are recorded there as passed, unless
`--again` is given. Exits with 1 if a property failed; the record holds its output.
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
PACKAGES = ("tests/tfrecord", "tests/events", "tests/loading", "tests/fuzz")
PROFILE = ("-m", "hypothesis", "--hypothesis-profile", "nightly", "-o", "timeout=0")
MEMORY_FOLDER = Path("/dev/shm")
"""A file system in memory (Linux): on a disk, creating a file takes as long as a case, and half of them create one."""

MAX_OUTPUT_LINES = 60
"""Recorded lines of a failed property, from the end, where the failing case is."""


def pytest(*words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in the checkout."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    environment = {"TMPDIR": str(MEMORY_FOLDER), **os.environ} if MEMORY_FOLDER.is_dir() else None
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment)


def property_ids(tests: list[str]) -> list[str]:
    """Return the node ids of the properties in files or folders."""
    listed = pytest("--collect-only", *PROFILE[:2], *tests).stdout.splitlines()
    return [line for line in listed if "::" in line]


def read_record() -> list[dict[str, Any]]:
    """Return the results of earlier drills, one per property and drill."""
    return [json.loads(line) for line in RECORD.read_text().splitlines()] if RECORD.exists() else []


def run_property(test: str) -> dict[str, Any]:
    """Run one property, and return its result for the record."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, check=False, capture_output=True, text=True)
    started = time.monotonic()
    process = pytest(*PROFILE, test)
    result = {
        "property": test,
        "passed": process.returncode == 0,
        "seconds": round(time.monotonic() - started),
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
    }
    return result if result["passed"] else {**result, "output": process.stdout.splitlines()[-MAX_OUTPUT_LINES:]}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", metavar="TESTS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    tests = property_ids(arguments.tests or list(PACKAGES))
    passed = set() if arguments.again else {result["property"] for result in read_record() if result["passed"]}
    due = [test for test in tests if test not in passed]
    print(f"{len(tests)} properties, {len(tests) - len(due)} of them recorded as passed", flush=True)
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool, RECORD.open("a", encoding="utf-8") as record:
        for future in as_completed([pool.submit(run_property, test) for test in due]):
            result = future.result()
            failed += not result["passed"]
            print(json.dumps(result), file=record, flush=True)
            print(
                f"{'passed' if result['passed'] else 'FAILED'} in {result['seconds']} s: {result['property']}",
                flush=True,
            )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
