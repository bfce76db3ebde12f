from __future__ import annotations

import os
from pathlib import Path

import pytest

from tbtui.loading.sources import Source, SourceError, is_event_file, parse_sources


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory: some log directories, an event file and a note."""
    for directory in ("logs/a", "logs/b/deep", "logs/.hidden", "other", "with:colon", "lit[e]ral"):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "logs/a/events.out.tfevents.1").touch()
    (tmp_path / "logs/notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(paths: list[str], *directories: str) -> list[str]:
    """What the sources would call runs in these directories, one source a directory."""
    sources = parse_sources(paths)
    here = Path.cwd()
    return [source.run_name(str(here / directory)) for source, directory in zip(sources, directories, strict=True)]


def test_no_path_means_the_current_directory(here: Path) -> None:
    assert parse_sources([]) == (Source(str(here), str(here)),)


@pytest.mark.parametrize("path", ["logs", "./logs", "logs/", "other/../logs"])
def test_runs_of_one_directory_have_names_relative_to_it(here: Path, path: str) -> None:
    (source,) = parse_sources([path])
    assert source.path == str(here / "logs")
    assert source.run_name(str(here / "logs/b/deep")) == "b/deep"
    assert source.run_name(str(here / "logs")) == "."


def test_home_is_found(own_directories: Path) -> None:
    (own_directories / "runs").mkdir()
    (source,) = parse_sources(["~/runs"])
    assert source.path == str(own_directories / "runs")


def test_a_name_stands_in_front(here: Path) -> None:
    (source,) = parse_sources(["base:logs"])
    assert source.run_name(str(here / "logs/b/deep")) == "base/b/deep"
    assert source.run_name(str(here / "logs")) == "base"


def test_a_name_of_one_letter_may_be_given_to_a_path_from_the_root(here: Path) -> None:
    (source,) = parse_sources([f"a:{here / 'logs'}"])
    assert (source.name, source.path) == ("a", str(here / "logs"))


def test_a_name_may_be_given_to_a_home_path_and_to_a_path_with_colons(own_directories: Path) -> None:
    (own_directories / "a:b").mkdir()
    (source,) = parse_sources(["base:~/a:b"])
    assert (source.name, source.path) == ("base", str(own_directories / "a:b"))


def test_an_existing_path_with_a_colon_is_a_path(here: Path) -> None:
    (source,) = parse_sources(["with:colon"])
    assert (source.name, source.path) == ("", str(here / "with:colon"))


@pytest.mark.parametrize("path", ["/nowhere:logs", "./x:logs", "~/x:logs", "C:\\logs", "gs://bucket", ":logs", "x:"])
def test_what_looks_like_a_path_has_no_name(path: str) -> None:
    with pytest.raises(SourceError, match="no such file or directory"):
        parse_sources([path])


def test_several_unnamed_paths_are_named_from_what_they_have_in_common() -> None:
    assert names(["logs/a", "logs/b"], "logs/a", "logs/b/deep") == ["a", "b/deep"]
    assert names(["logs/a", "other"], "logs/a", "other/x") == ["logs/a", "other/x"]


def test_a_path_inside_another_is_named_alike_by_both() -> None:
    assert names(["logs", "logs/b"], "logs/b/deep", "logs/b/deep") == ["b/deep", "b/deep"]


def test_named_paths_do_not_change_the_names_of_others() -> None:
    assert names(["logs", "base:other"], "logs/a", "other/x") == ["a", "base/x"]


def test_paths_of_one_name_are_told_apart() -> None:
    assert names(["base:logs/a", "base:logs/b"], "logs/a", "logs/b") == ["base/a", "base/b"]


def test_an_event_file_belongs_to_the_run_of_its_directory(here: Path) -> None:
    (source,) = parse_sources(["logs/a/events.out.tfevents.1"])
    assert source.roots() == (str(here / "logs/a/events.out.tfevents.1"),)
    assert source.run_name(str(here / "logs/a")) == "."


def test_a_glob_means_directories_and_event_files(here: Path) -> None:
    (source,) = parse_sources(["logs/*"])
    assert {Path(root).name for root in source.roots()} >= {"a", "b"}
    assert str(here / "logs/notes.txt") not in source.roots()
    assert source.run_name(str(here / "logs/b/deep")) == "b/deep"


def test_a_glob_finds_what_appears_later(here: Path) -> None:
    (source,) = parse_sources(["base:logs/[ac]"])
    (here / "logs/c").mkdir()
    assert source.roots() == (str(here / "logs/a"), str(here / "logs/c"))
    assert source.run_name(str(here / "logs/c")) == "base/c"


def test_a_path_that_exists_is_no_glob(here: Path) -> None:
    (source,) = parse_sources(["lit[e]ral"])
    assert source.roots() == (str(here / "lit[e]ral"),)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing", "missing: no such file or directory"),
        ("", "the path is empty: no such file or directory"),
        ("logs/notes.txt", "logs/notes.txt: not an event file (its name would contain 'tfevents')"),
        ("nothing/*", "nothing/*: matches no directory and no event file"),
        ("logs/*.txt", "logs/*.txt: matches no directory and no event file"),
        ("base:missing", "missing: no such file or directory"),
        ("~nobody-of-that-name/logs", "~nobody-of-that-name/logs: Could not determine home directory."),
        ("logs/notes.txt/below", "logs/notes.txt/below: no such file or directory"),
        ("x" * 5000, "x" * 5000 + ": no such file or directory"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(path: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_sources(["logs", path])
    assert str(caught.value) == message


def test_a_pipe_is_no_event_file(here: Path) -> None:
    os.mkfifo(here / "pipe.tfevents")
    with pytest.raises(SourceError, match=r"pipe\.tfevents: not a regular file"):
        parse_sources(["pipe.tfevents"])


@pytest.mark.parametrize(("look", "path"), [("scandir", "logs"), ("lstat", "logs/x.tfevents")])
def test_what_may_not_be_looked_at_is_told_and_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch, look: str, path: str
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, look, refuse)
        with pytest.raises(SourceError, match=rf"^{path}: Permission denied$"):
            parse_sources([path])


def test_a_link_that_leads_nowhere_is_told(here: Path) -> None:
    (here / "lost.tfevents").symlink_to("nowhere")
    with pytest.raises(SourceError, match=r"lost.tfevents: No such file or directory"):
        parse_sources(["lost.tfevents"])


def test_an_empty_directory_is_fine() -> None:
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
def test_event_files_are_known_by_their_name(name: str, expected: bool) -> None:
    assert is_event_file(name) is expected


@pytest.mark.parametrize("pattern", ["run", "r*"])
def test_a_current_directory_that_was_deleted_matters_only_where_it_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    (source,) = parse_sources([str(tmp_path / pattern)])
    assert source.roots() == (str(tmp_path / "run"),)
    with pytest.raises(SourceError):
        parse_sources(["."])
