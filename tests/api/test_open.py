"""Test `tbtui.open`: accepted paths, the runs found there, and messages for missing ones."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tests.helpers.corpora import checksum
from tests.helpers.log_directory import LogDirectory
from tests.helpers.observed_reads import observe_reads

CORPUS = Path(__file__).parents[1] / "corpus"
EXPECTED: dict[str, Any] = json.loads((CORPUS / "expected.json").read_text())
DAMAGED = {"writers/edge_cases/badcrc", "writers/edge_cases/badlen"}
"""Logs where the reader that made `expected.json` stopped at the damage."""

PLUGINS = {("writers/torch/run1", "vid"): "images"}
"""Plugins of tags that TensorBoard leaves without one: a video that PyTorch wrote without a picture."""


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    made = LogDirectory(tmp_path / "logs")
    made.log("train", range(3))
    made.log("train", range(1), tag="acc")
    made.log("eval", range(2))
    return made


def test_open_runs_are_a_mapping_in_name_order(logs: LogDirectory) -> None:
    opened = tbtui.open(str(logs.root))
    assert list(opened) == list(opened.runs) == ["eval", "train"]
    assert len(opened) == 2
    assert "train" in opened
    assert "loss" not in opened
    assert 3 not in opened
    assert opened["train"] is opened["train"] is opened.runs["train"]
    assert [run.name for run in opened.values()] == ["eval", "train"]
    assert opened["train"].directory == str(logs.root / "train")
    assert opened.get("nothing") is None


def test_open_scalar_has_arrays(logs: LogDirectory) -> None:
    loss = tbtui.open(str(logs.root))["train"].scalars("loss")
    assert (loss.steps.dtype, loss.wall_times.dtype, loss.values.dtype) == (np.int64, np.float64, np.float64)
    assert loss.steps.tolist() == [0, 1, 2]
    assert loss.values.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("form", ["directory", "path", "bytes", "list", "several", "file", "glob", "named"])
def test_open_accepts_every_path_of_the_command_line(logs: LogDirectory, form: str) -> None:
    root = str(logs.root)
    opened = {
        "directory": lambda: tbtui.open(root),
        "path": lambda: tbtui.open(logs.root),
        "bytes": lambda: tbtui.open(root.encode()),
        "list": lambda: tbtui.open([logs.root / "train", f"{root}/eval"]),
        "several": lambda: tbtui.open(f"{root}/train", logs.root / "eval"),
        "file": lambda: tbtui.open(logs.path("train")),
        "glob": lambda: tbtui.open(f"{root}/t*"),
        "named": lambda: tbtui.open(f"one:{root}/train", f"two:{root}/eval"),
    }[form]()
    names = {"file": ["."], "glob": ["train"], "named": ["one", "two"]}.get(form, ["eval", "train"])
    assert sorted(opened) == names
    assert len(opened["one" if form == "named" else names[-1]].scalars("loss")) == 3


def test_open_without_paths_uses_the_current_directory(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(logs.root)
    assert list(tbtui.open()) == ["eval", "train"]
    assert tbtui.open().paths == (str(logs.root),)


def test_open_path_object_has_no_name_prefix(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(logs.root)
    assert list(tbtui.open("a:train")) == ["a"]
    with pytest.raises(tbtui.PathError, match="a:train: no such file or directory"):
        tbtui.open(Path("a:train"))


@pytest.mark.parametrize("path", ["nowhere", "no*thing", "logs/train/notes.txt", ""])
def test_open_invalid_path_raises_the_command_line_message(
    logs: LogDirectory, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(logs.root.parent)
    (logs.root / "train" / "notes.txt").touch()
    with pytest.raises(tbtui.PathError) as refused:
        tbtui.open(path)
    assert isinstance(refused.value, OSError)
    assert isinstance(refused.value, ValueError)
    assert main(["export", path]) == 2
    assert capsys.readouterr().err == f"tbtui: {refused.value}\n"


def test_open_empty_list_is_not_the_current_directory() -> None:
    with pytest.raises(tbtui.PathError, match="a list of paths is empty"):
        tbtui.open([])


@pytest.mark.parametrize("path", [3, None, [3]])
def test_open_value_that_is_no_path_raises_a_plain_message(path: object) -> None:
    with pytest.raises(TypeError, match=r"^a path is a text or a Path, not (int|NoneType)$"):
        tbtui.open(path)  # type: ignore[arg-type]


def test_open_run_filter_selects_runs(logs: LogDirectory) -> None:
    assert list(tbtui.open(logs.root, runs="^TR")) == ["train"]
    assert list(tbtui.open(logs.root, runs=re.compile("^TR"))) == []
    assert list(tbtui.open(logs.root, runs="")) == ["eval", "train"]
    assert list(tbtui.open(logs.root, runs=r"\p{L}+l$")) == ["eval"]


def test_open_invalid_pattern_raises(logs: LogDirectory) -> None:
    with pytest.raises(tbtui.PatternError, match=re.escape("'(' cannot be searched for")):
        tbtui.open(logs.root, runs="(")
    with pytest.raises(TypeError, match="not int"):
        tbtui.open(logs.root, runs=3)  # type: ignore[arg-type]


def test_open_unknown_name_suggests_similar_names(logs: LogDirectory) -> None:
    opened = tbtui.open(logs.root)
    for there in (opened, opened.runs):
        with pytest.raises(KeyError, match="there is no run 'Train': did you mean 'train'") as missing:
            there["Train"]
        assert isinstance(missing.value, tbtui.UnknownRunError)
    with pytest.raises(tbtui.UnknownRunError, match="there are 'eval', 'train'"):
        opened["zzz"]
    with pytest.raises(tbtui.UnknownRunError, match="there are none"):
        tbtui.open(logs.root, runs="^no")["train"]
    with pytest.raises(tbtui.UnknownTagError, match="'train' has no tag 'los' of scalars: did you mean 'loss'"):
        opened["train"].scalars("los")


def test_repr_is_available_without_reading(logs: LogDirectory) -> None:
    opened = tbtui.open(logs.root)
    assert repr(opened) == f"<Logs {str(logs.root)!r}: 2 runs\n  'eval': not read yet\n  'train': not read yet>"
    run = opened["train"]
    assert repr(run) == "<Run 'train': not read yet>"
    assert list(run.tags) == ["loss", "acc"]
    assert repr(run) == "<Run 'train': 2 tags of scalars>"
    assert repr(opened.runs) == "<2: 'eval', 'train'>"
    assert repr(opened.scalars("loss")).startswith("<2 scalar tags\n  <Scalars 'loss' of 'eval': 2 points")


def test_repr_escapes_control_characters(tmp_path: Path) -> None:
    made = LogDirectory(tmp_path / "logs")
    made.log("a\x1b[31m", range(1), tag="b\x1b]0;c\x07")
    opened = tbtui.open(made.root)
    (run,) = opened.values()
    messages = [repr(opened), repr(run), repr(run.tags), repr(run.scalars("b\x1b]0;c\x07")), repr(opened.scalars())]
    for access in (lambda: opened["x"], lambda: run.scalars("x"), lambda: run.images("b\x1b]0;c\x07")):
        with pytest.raises(KeyError) as missing:
            access()
        messages.append(str(missing.value))
    assert not [text for text in messages if "\x1b" in text]


def test_repr_of_many_runs_is_short(tmp_path: Path) -> None:
    made = LogDirectory(tmp_path / "logs")
    for number in range(12):
        made.log(f"r{number:02}", range(1))
    assert repr(tbtui.open(made.root)).splitlines()[-1] == "  and 2 more>"


def test_open_reads_only_the_requested_run(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    observe_reads(monkeypatch, read.append)
    opened = tbtui.open(logs.root)
    assert len(opened.runs) == 2
    repr(opened)
    assert read == []
    assert opened["eval"].scalars("loss").values.tolist() == [0.0, 2.0]
    assert read == [str(logs.path("eval"))]
    assert len(opened.scalars()) == 3
    assert read == [str(logs.path("eval")), str(logs.path("train"))]


def test_open_directory_without_runs_is_empty(tmp_path: Path) -> None:
    opened = tbtui.open(tmp_path)
    assert len(opened) == 0
    assert list(opened.scalars()) == []
    assert opened.columns()["value"].tolist() == []
    assert opened.problems == ()
    assert repr(opened.runs) == "<none>"


def test_open_damage_is_reported_without_an_exception() -> None:
    opened = tbtui.open(CORPUS / "writers" / "edge_cases")
    run = opened["badlen"]
    assert len(run.scalars("x")) == 2
    (problem,) = run.problems
    assert (problem.state, problem.problem.kind, problem.problem.offset) == ("corrupt", "length_checksum", 147)
    assert repr(run) == "<Run 'badlen': 2 tags of scalars, 1 damaged file>"
    assert [file.state for file in run.files] == ["corrupt"]
    assert {problem.run for problem in opened.problems} >= {"badlen", "badcrc"}


LARGE_STEPS = 45_000
"""More than 2 MB: smaller runs are read whole, without an index."""


def test_open_uses_the_cache_only_on_request(tmp_path: Path, own_directories: Path) -> None:
    made = LogDirectory(tmp_path / "logs")
    made.log("run", range(LARGE_STEPS))
    assert made.path("run").stat().st_size > 2 << 20
    kept = own_directories / "cache" / "tbtui" / "index"
    assert len(tbtui.open(made.root, cache=False)["run"].scalars("loss")) == LARGE_STEPS
    assert not kept.exists()
    for _ in range(2):
        opened = tbtui.open(made.root)
        assert len(opened["run"].scalars("loss")) == LARGE_STEPS
        assert opened.cache_failure is None
        assert len(list(kept.iterdir())) == 1


def test_open_unwritable_cache_is_reported(tmp_path: Path, own_directories: Path) -> None:
    made = LogDirectory(tmp_path / "logs")
    made.log("run", range(LARGE_STEPS))
    (own_directories / "cache").write_text("in the way")
    opened = tbtui.open(made.root)
    assert len(opened["run"].scalars("loss")) == LARGE_STEPS
    assert "cannot be written" in str(opened.cache_failure)


@pytest.mark.parametrize("run", EXPECTED)
def test_open_every_log_equals_tensorboard(run: str) -> None:
    opened = tbtui.open(CORPUS / run, cache=False)
    if not EXPECTED[run]["tags"]:
        assert not opened or not opened["."].tags
        return
    found = opened["."]
    assert found.tags.keys() >= EXPECTED[run]["tags"].keys()
    for tag, expected in EXPECTED[run]["tags"].items():
        assert found.tags[tag] == PLUGINS.get((run, tag), expected["plugin"])
        points = found.scalars(tag) if expected["plugin"] == "scalars" else found.tensors(tag)
        if run in DAMAGED:
            assert len(points) >= expected["count"]
            continue
        ends = (len(points), int(points.steps[0]), int(points.steps[-1]))
        assert ends == (expected["count"], expected["first_step"], expected["last_step"])
        if isinstance(points, tbtui.Scalars):
            assert checksum(points.values) == expected["crc"]


def test_import_is_light_and_open_imports_no_textual(logs: LogDirectory) -> None:
    program = f"""
import sys
before = set(sys.modules)  # hooks of an environment may have imported something
import tbtui
heavy = {{"textual", "numpy", "google", "rich", "PIL", "pandas", "re", "typing", "dataclasses"}}
heavy &= set(sys.modules) - before
assert not heavy, heavy
values = tbtui.open({str(logs.root)!r})["train"].scalars("loss").values
assert values.tolist() == [0.0, 2.0, 4.0]
late = {{"textual", "rich", "PIL", "pandas", "regex", "watchfiles", "platformdirs"}}
late &= set(sys.modules) - before
assert not late, late
from importlib import import_module
from pathlib import Path
for path in sorted(Path(import_module("tbtui.api").__file__).parent.glob("*.py")):
    import_module(f"tbtui.api.{{path.stem}}" if path.stem != "__init__" else "tbtui.api")
assert "textual" not in sys.modules
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


def test_api_exports_all_public_names() -> None:
    for name in tbtui.__all__:
        assert getattr(tbtui, name) is not None
    assert set(tbtui.__all__) <= set(dir(tbtui))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tbtui.nothing  # noqa: B018


def test_api_documentation_example_gives_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    root = CORPUS.parents[1]
    monkeypatch.chdir(root)
    text = (root / "docs" / "python.md").read_text(encoding="utf-8")
    example = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert example is not None
    messages: list[str] = []
    made = doctest.DocTestParser().get_doctest(example[1], {}, "python", "python.md", 0)
    failed, tried = doctest.DocTestRunner().run(made, out=messages.append)
    assert not failed, "".join(messages)
    assert tried > 5
