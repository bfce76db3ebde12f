from __future__ import annotations

import os
from pathlib import Path

import pytest

from tbtui.loading.sources import Source, SourceError, is_event_file, parse_sources


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create log directories, an event file and a text file in the current directory."""
    for directory in ("logs/a", "logs/b/deep", "logs/.hidden", "other", "with:colon", "lit[e]ral"):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "logs/a/events.out.tfevents.1").touch()
    (tmp_path / "logs/notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(paths: list[str], *directories: str) -> list[str]:
    """Return the run names that the sources give to these directories, one source per directory."""
    sources = parse_sources(paths)
    here = Path.cwd()
    return [source.run_name(str(here / directory)) for source, directory in zip(sources, directories, strict=True)]


def test_sources_no_path_is_the_current_directory(here: Path) -> None:
    assert parse_sources([]) == (Source(str(here), str(here)),)


@pytest.mark.parametrize("path", ["logs", "./logs", "logs/", "other/../logs"])
def test_sources_runs_of_one_directory_have_relative_names(here: Path, path: str) -> None:
    (source,) = parse_sources([path])
    assert source.path == str(here / "logs")
    assert source.run_name(str(here / "logs/b/deep")) == "b/deep"
    assert source.run_name(str(here / "logs")) == "."


def test_sources_home_directory_is_expanded(own_directories: Path) -> None:
    (own_directories / "runs").mkdir()
    (source,) = parse_sources(["~/runs"])
    assert source.path == str(own_directories / "runs")


def test_sources_name_prefix_is_split_off(here: Path) -> None:
    (source,) = parse_sources(["base:logs"])
    assert source.run_name(str(here / "logs/b/deep")) == "base/b/deep"
    assert source.run_name(str(here / "logs")) == "base"


def test_sources_one_letter_name_is_accepted_before_an_absolute_path(here: Path) -> None:
    (source,) = parse_sources([f"a:{here / 'logs'}"])
    assert (source.name, source.path) == ("a", str(here / "logs"))


def test_sources_name_is_accepted_before_home_and_colon_paths(own_directories: Path) -> None:
    (own_directories / "a:b").mkdir()
    (source,) = parse_sources(["base:~/a:b"])
    assert (source.name, source.path) == ("base", str(own_directories / "a:b"))


def test_sources_existing_path_with_colon_is_a_path(here: Path) -> None:
    (source,) = parse_sources(["with:colon"])
    assert (source.name, source.path) == ("", str(here / "with:colon"))


@pytest.mark.parametrize("path", ["/nowhere:logs", "./x:logs", "~/x:logs", "C:\\logs", "gs://bucket", ":logs", "x:"])
def test_sources_path_like_prefix_is_no_name(path: str) -> None:
    with pytest.raises(SourceError, match="no such file or directory"):
        parse_sources([path])


def test_sources_unnamed_paths_are_named_from_their_common_parent() -> None:
    assert names(["logs/a", "logs/b"], "logs/a", "logs/b/deep") == ["a", "b/deep"]
    assert names(["logs/a", "other"], "logs/a", "other/x") == ["logs/a", "other/x"]


def test_sources_nested_paths_give_the_same_names() -> None:
    assert names(["logs", "logs/b"], "logs/b/deep", "logs/b/deep") == ["b/deep", "b/deep"]


def test_sources_named_paths_do_not_change_other_names() -> None:
    assert names(["logs", "base:other"], "logs/a", "other/x") == ["a", "base/x"]


def test_sources_equal_path_names_are_disambiguated() -> None:
    assert names(["base:logs/a", "base:logs/b"], "logs/a", "logs/b") == ["base/a", "base/b"]


def test_sources_event_file_belongs_to_the_run_of_its_directory(here: Path) -> None:
    (source,) = parse_sources(["logs/a/events.out.tfevents.1"])
    assert source.list_roots() == (str(here / "logs/a/events.out.tfevents.1"),)
    assert source.run_name(str(here / "logs/a")) == "."


def test_sources_glob_matches_directories_and_event_files(here: Path) -> None:
    (source,) = parse_sources(["logs/*"])
    assert {Path(root).name for root in source.list_roots()} >= {"a", "b"}
    assert str(here / "logs/notes.txt") not in source.list_roots()
    assert source.run_name(str(here / "logs/b/deep")) == "b/deep"


def test_sources_glob_finds_later_matches(here: Path) -> None:
    (source,) = parse_sources(["base:logs/[ac]"])
    (here / "logs/c").mkdir()
    assert source.list_roots() == (str(here / "logs/a"), str(here / "logs/c"))
    assert source.run_name(str(here / "logs/c")) == "base/c"


def test_sources_existing_path_is_no_glob(here: Path) -> None:
    (source,) = parse_sources(["lit[e]ral"])
    assert source.list_roots() == (str(here / "lit[e]ral"),)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing", "missing: no such file or directory"),
        ("", "the path is empty: no such file or directory"),
        (
            "logs/notes.txt",
            "logs/notes.txt: not an event file (its name would contain 'tfevents') nor a profile (.json, .xplane.pb)",
        ),
        ("nothing/*", "nothing/*: matches no directory and no event file"),
        ("logs/*.txt", "logs/*.txt: matches no directory and no event file"),
        ("base:missing", "missing: no such file or directory"),
        ("~nobody-of-that-name/logs", "~nobody-of-that-name/logs: no such user: ~nobody-of-that-name"),
        ("logs/notes.txt/below", "logs/notes.txt/below: no such file or directory"),
        ("x" * 5000, "x" * 5000 + ": no such file or directory"),
    ],
)
def test_sources_invalid_path_is_reported_in_one_line(path: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_sources(["logs", path])
    assert str(caught.value) == message


def test_sources_pipe_is_no_event_file(here: Path) -> None:
    os.mkfifo(here / "pipe.tfevents")
    with pytest.raises(SourceError, match=r"pipe\.tfevents: not a regular file"):
        parse_sources(["pipe.tfevents"])


@pytest.mark.parametrize(("function", "path"), [("scandir", "logs"), ("lstat", "logs/x.tfevents")])
def test_sources_path_without_permission_is_not_reported_as_missing(
    monkeypatch: pytest.MonkeyPatch, function: str, path: str
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, function, refuse)
        with pytest.raises(SourceError, match=rf"^{path}: Permission denied$"):
            parse_sources([path])


def test_sources_broken_link_is_reported(here: Path) -> None:
    (here / "lost.tfevents").symlink_to("nowhere")
    with pytest.raises(SourceError, match=r"lost.tfevents: No such file or directory"):
        parse_sources(["lost.tfevents"])


def test_sources_empty_directory_is_accepted() -> None:
    assert len(parse_sources(["other"])) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("events.out.tfevents.1.host", True),
        ("my.tfevents.gz.v2", True),
        ("tfevents", True),
        ("logs.tfevents/model.ckpt", False),
        ("events.out", False),
    ],
)
def test_sources_event_files_are_detected_by_name(name: str, expected: bool) -> None:
    assert is_event_file(name) is expected


@pytest.mark.parametrize("pattern", ["run", "r*"])
def test_sources_deleted_current_directory_matters_only_if_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    (source,) = parse_sources([str(tmp_path / pattern)])
    assert source.list_roots() == (str(tmp_path / "run"),)
    with pytest.raises(SourceError):
        parse_sources(["."])
