"""Whatever a log holds, `print`, `inspect`, `compare`, `export` and Python say the same of each tag.

The logs have several files in any order of names, sessions that go back, ranks, copies, and values without steps.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tbtui
from tbtui.app.state import AppStateBuilder
from tbtui.cli.inspect.command import DAMAGED
from tbtui.cli.main import main
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.registry import PLUGINS
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tests.helpers.log_directory import START, LogDirectory
from tests.helpers.print_command import printed
from tests.helpers.property_examples import examples
from tests.helpers.session_logs import log_session

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.api.scalars import Scalars
    from tbtui.run_health.summaries import RunSummary

TAGS = ("loss", "eval", "q(x)")
WORDS = ("--width", "200", "--max-tags", "0", "--max-runs", "0")


class Session(NamedTuple):
    """Points that one file of a run holds."""

    name: str
    """Part of the name of the file: a host, a rank or anything."""

    start: int
    """Seconds after the beginning of the log."""

    first: int
    """Step of the first point."""

    count: int
    stride: int
    """Distance of the steps; 0: no steps; negative: the counter counts down."""

    every: int
    """One in this many points also has values of the other tags."""

    period: int
    """Length of the repeating values, of which one is NaN."""


SESSIONS = st.lists(
    st.builds(
        Session,
        st.sampled_from(["node0.1.0", "node1.2.0", "rank0", "rank1", "z.9.9"]),
        st.sampled_from([0, 0, 5, 40, 100, 1000]),
        st.integers(-5, 30),
        st.integers(0, 25),
        st.sampled_from([1, 1, 1, 2, 0, -1]),
        st.integers(1, 12),
        st.integers(2, 9),
    ),
    max_size=4,
)


def write(root: Path, runs: list[list[Session]], copied: bool) -> None:
    for number, sessions in enumerate(runs):
        folder = root / f"run{number}"
        folder.mkdir(parents=True)
        for place, session in enumerate(sessions):
            path = folder / f"events.out.tfevents.{place}.{session.name}"
            start = START + session.start
            with EventFileWriter(str(path), wall_time=start, like_pytorch=bool(place % 2)) as writer:
                for point in range(session.count):
                    step = session.first + point * session.stride
                    value = math.nan if point % session.period == 1 else float((point * 7 + place) % 100)
                    for tag in TAGS if point % session.every == 0 else TAGS[:1]:
                        writer.scalar(tag, value, step, start + point)
            if copied:
                shutil.copyfile(path, f"{path}.bak")


class Facts(NamedTuple):
    """Facts about a tag of a run that several commands tell."""

    count: int
    superseded: int
    last_step: int
    last: float | None
    """None: NaN."""


def number(value: Any) -> float | None:
    return None if value in (None, "NaN") or math.isnan(float(value)) else float(value)


def in_python(scalars: Scalars) -> Facts:
    current = scalars.current
    return Facts(len(scalars), scalars.superseded, int(current.steps[-1]), number(current.values[-1]))


def in_print(text: str) -> dict[tuple[str, str], Facts]:
    """Return the facts in the tables below the charts, whose columns of numbers are aligned at the right."""
    found: dict[tuple[str, str], Facts] = {}
    tag, ends = "", dict[str, int]()
    for line in text.splitlines():
        cells = {cell.end(): cell[0] for cell in re.finditer(r"\S+(?: \S+)*", line)}
        if " · " in line:
            tag, ends = line.split(" · ")[0], {}
        elif line.endswith("points"):
            ends = {name: end for end, name in cells.items()}
        elif ends and (name := re.match(r"(?:[A-Z] )?(run\d(?: \[.*?\])?) ", line)):
            last, step, points = (cells[ends[column]] for column in ("last", "step", "points"))
            lost = int(cells.get(ends.get("superseded", -1), "0"))
            found[name[1], tag] = Facts(int(points) + lost, lost, int(step), number(last))
    return found


def exported(*words: object) -> list[dict[str, str]]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(["export", "--no-cache", *map(str, words)])
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def in_json(*words: object) -> Any:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main([str(word) for word in words])
    return json.loads(out.getvalue()) if out.getvalue() else {}


def facts_of_export(rows: list[dict[str, str]], current: list[dict[str, str]]) -> dict[tuple[str, str], Facts]:
    counts = Counter((row["run"], row["tag"]) for row in rows)
    shown = Counter((row["run"], row["tag"]) for row in current)
    lasts = {(row["run"], row["tag"]): row for row in current}
    return {
        key: Facts(count, count - shown[key], int(lasts[key]["step"]), number(lasts[key]["value"]))
        for key, count in counts.items()
    }


@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(SESSIONS, min_size=1, max_size=2), st.booleans())
def test_every_command_and_python_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[Session]], copied: bool
) -> None:
    root = tmp_path_factory.mktemp("same") / "logs"
    root.mkdir()
    write(root, runs, copied)
    said = {(scalars.run, scalars.tag): in_python(scalars) for scalars in tbtui.open(root).scalars()}
    inspected = {
        (name, tag): (facts, Facts(facts["count"], facts["superseded"], facts["last_step"], number(facts["last"])))
        for name, run in in_json("inspect", "--no-cache", "--json", root)["runs"].items()
        for tag, facts in run["tags"].items()
    }
    assert {key: facts for key, (_, facts) in inspected.items()} == said
    assert facts_of_export(exported(root), exported(root, "--current")) == said
    assert in_print(printed("--no-cache", *WORDS, root).out) == said
    compared = {
        (row["run"], tag): entry
        for row in in_json("compare", "--no-cache", "--json", root, "--limit", 0).get("runs", ())
        for tag, entry in row["tags"].items()
    }
    for key, entry in compared.items():
        current = tbtui.open(root)[key[0]].scalars(key[1]).current
        finite = current.values[np.isfinite(current.values)]
        assert (entry["superseded"], entry["last_step"]) == (said[key].superseded, said[key].last_step)
        assert number(entry["last"]) == said[key].last
        assert (number(entry["min"]), number(entry["max"])) == (
            (finite.min(), finite.max()) if len(finite) else (None, None)
        )
    assert compared.keys() == said.keys()


def log_chain(root: Path) -> None:
    """Write a training that was resumed twice, as Stable-Baselines3 names it; each part wrote its hyperparameters."""
    for number in (1, 2, 3):
        LogDirectory(root).log(f"PPO_{number}", range(5 * number))
        log_session(root, f"PPO_{number}/1700000000.{number}", {"lr": 0.1 * number}, {"hparam/return": [number]})


def names_in_app(root: Path, **chosen: Any) -> dict[str, RunSummary]:
    """Return the facts of the runs that the dashboard lists."""
    load = Loader(parse_sources([str(root)]), reload_seconds=0).load_all()
    state = AppStateBuilder(PLUGINS, RunColours()).build(load, Settings(**chosen), START)
    return {name: state.summaries[name] for name in state.passing}


@pytest.mark.parametrize("fold", ["yes", "no"])
@pytest.mark.parametrize("chain", ["no", "numbered"])
def test_every_command_and_python_list_the_same_runs(tmp_path: Path, fold: Any, chain: Any) -> None:
    log_chain(tmp_path)
    words = ["--fold-runs", fold, "--chain-runs", chain]
    expected = set(names_in_app(tmp_path, fold_runs=fold, chain_runs=chain))
    sessions = {f"PPO_{number}/1700000000.{number}" for number in (1, 2, 3)}
    parts = {f"PPO_{number}" for number in (1, 2, 3)} if chain == "no" else {"PPO_*"}
    assert expected == parts | (sessions if fold == "no" else set())
    assert set(tbtui.open(tmp_path, fold_runs=fold, chain_runs=chain, cache=False)) == expected
    assert {row["run"] for row in exported(tmp_path, *words)} == expected
    compared = in_json("compare", "--no-cache", "--json", tmp_path, "--limit", 0, *words)["runs"]
    assert {row["run"] for row in compared} == expected
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["inspect", "--no-cache", "--all", str(tmp_path), *words]) == 0
    assert set(re.findall(r"^(PPO_\S+)", out.getvalue(), re.MULTILINE)) == expected
    text = printed("--no-cache", *WORDS, tmp_path, *words).out
    assert set(re.findall(r"^(?:[A-Z] )?(PPO_\S+)", text, re.MULTILINE)) == expected


def test_inspect_joined_run_counts_files_and_damage_of_its_parts(tmp_path: Path) -> None:
    log_chain(tmp_path)
    words = [tmp_path, "--no-cache", "--chain-runs", "numbered"]
    runs = in_json("inspect", "--json", *words)["runs"]
    assert {name: run["folded_into"] for name, run in runs.items()} == {
        "PPO_*": None,
        **{f"PPO_{number}/1700000000.{number}": "PPO_*" for number in (1, 2, 3)},
    }
    assert (len(runs["PPO_*"]["files"]), runs["PPO_*"]["tags"]["loss"]["count"]) == (3, 30)
    path = next((tmp_path / "PPO_2").glob("events*"))
    path.write_bytes(path.read_bytes()[:-3] + b"bad")
    assert main(["inspect", "--check", *map(str, words)]) == DAMAGED


def test_chained_run_takes_the_sessions_of_its_parts_and_loses_no_point(tmp_path: Path) -> None:
    log_chain(tmp_path)
    words = ["--fold-runs", "yes", "--chain-runs", "numbered"]
    (facts,) = names_in_app(tmp_path, chain_runs="numbered").values()
    assert facts.tags["hparams"] == {"_hparams_/session_start_info", "_hparams_/session_end_info"}
    assert (facts.last_step, facts.tags["scalars"]) == (14, {"loss", "hparam/return"})
    logs = tbtui.open(tmp_path, fold_runs="yes", chain_runs="numbered", cache=False)
    assert logs["PPO_*"].hparams.values["lr"] == pytest.approx(0.3)
    assert logs["PPO_*"].hparams.sessions == 3
    (row,) = exported(tmp_path, "--plugin", "sessions", *words)
    assert (row["run"], float(row["lr"]), float(row["hparam/return"])) == ("PPO_*", pytest.approx(0.3), 3.0)
    assert len(exported(tmp_path, *words)) == len(exported(tmp_path)) == 5 + 10 + 15 + 3
    text = printed("--no-cache", "--plugin", "hparams", tmp_path, *words).out
    assert "the last of 3 sessions in this run; between them changed lr" in text
