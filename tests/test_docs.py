"""Checks of the documents: links, paths, commands, generated tables, and the size of the README."""

from __future__ import annotations

import re
import shlex
import subprocess
import textwrap
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

import pytest

from tbtui.cli.options import COMMANDS
from tbtui.cli.options.suggestions import get_parser
from tests import generate_reference as reference

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "tests/**/*.md", "screenshots/**/*.md", ".github/**/*.md")
    for page in ROOT.glob(pattern)
    if not {".venv", "node_modules"} & set(page.relative_to(ROOT).parts)
)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"')
PATH = re.compile(r"`((?:tbtui|tests|docs|screenshots)/[\w/.]+)`")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(not README.exists(), reason="this tree has no README")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of the headings of a page."""
    text = FENCED.sub("", page.read_text("utf-8"))
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(next(name + end for end in ["", *(f"-{n}" for n in range(1, 99))] if name + end not in found))
    return found


def commands(page: Path) -> list[list[str]]:
    """Return the words of every line of the shell blocks that calls `tbtui`."""
    lines = "".join(BLOCK.findall(page.read_text("utf-8"))).splitlines()
    return [
        shlex.split(line.split(" > ")[0].split(" | ")[0], comments=True) for line in lines if line.startswith("tbtui ")
    ]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_link_of_a_page_leads_to_a_file_and_heading(page: Path) -> None:
    text = FENCED.sub("", page.read_text("utf-8"))
    for found in LINK.finditer(text):
        target = unquote(found[1] or found[2])
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page_id(page)}: {target}"
        assert not anchor or anchor in anchors(file), f"{page_id(page)}: {target}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=page_id)
def test_path_in_a_page_exists(page: Path) -> None:
    for path in PATH.findall(page.read_text("utf-8")):
        if path.startswith("tbtui/plugins/levels"):
            continue
        assert (ROOT / path).exists(), f"{page_id(page)}: {path}"


def test_module_that_the_architecture_page_names_exists() -> None:
    """Paths without `tbtui/` are below it; `X` is a pattern, `pane/` and `levels` are of the toy."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for path in re.findall(r"`([a-z_]+/[\w/]+\.py)`", FENCED.sub("", text)):
        if "/X/" not in path and "/levels/" not in path and not path.startswith("pane/"):
            assert (ROOT / path).exists() or (ROOT / "tbtui" / path).exists(), path


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "guide.md"], ids=page_id)
def test_command_of_a_page_is_understood(page: Path) -> None:
    found = commands(page)
    assert found
    for words in found:
        name = words[1] if words[1] in COMMANDS else "dashboard"
        get_parser(name).parse_args(words[1 if name == "dashboard" else 2 :])


@pytest.mark.parametrize("word", ["--demo", "pytest"])
def test_readme_block_that_ci_runs_is_a_shell_command(word: str) -> None:
    block = next(block for block in BLOCK.findall(README.read_text("utf-8")) if word in block)
    subprocess.run(["bash", "-n", "-c", block], check=True)
    assert block.count("\n") == 1
    assert block.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    if word == "--demo":
        assert block.endswith(" && .venv/bin/tbtui --demo\n")


def test_readme_size_is_between_6000_and_8192_bytes() -> None:
    assert 6000 <= README.stat().st_size <= 8192


def test_reference_tables_are_current() -> None:
    text = reference.PAGE.read_text("utf-8")
    assert reference.SECTION.search(text)
    assert text == reference.updated(text), "run python -m tests.generate_reference"


@pytest.mark.parametrize("name", ["dashboard", *COMMANDS])
def test_reference_has_a_row_for_every_option(name: str) -> None:
    tables = reference.option_tables()
    for action in get_parser(name).options:
        assert f"`{reference.spelling(action)}`" in tables


def test_reference_lists_shared_options_once() -> None:
    assert reference.option_tables().count("`--runs REGEX`") == 1


def test_reference_escapes_marks_of_tables() -> None:
    parser = get_parser("inspect")
    parser.add_argument("--either", help="a|b")
    assert "| `--either EITHER` | a\\|b |" in reference.option_rows(parser)


def test_reference_update_changes_nothing_but_tables() -> None:
    text = "before\n<!-- generated: options -->\nout of date\n<!-- end -->\nbehind\n"
    updated = reference.updated(text)
    assert updated.startswith("before\n<!-- generated: options -->\n")
    assert updated.endswith("<!-- end -->\nbehind\n")
    assert "out of date" not in updated
    assert reference.updated(updated) == updated


def test_architecture_lists_packages_in_the_order_of_the_contract() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE)
    layers = re.search(r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert layers is not None
    assert listed == re.findall(r'"(\w+)"', layers[1])


ARCHITECTURE_BLOCKS = re.findall(
    r"^( *)```python\n(.*?)^ *```", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("indent", "block"), ARCHITECTURE_BLOCKS)
def test_code_of_the_architecture_page_is_that_of_the_toy_dashboard(indent: str, block: str) -> None:
    """The toy is linted, type-checked and registered by tests, and so is what a reader pastes."""
    pasted = "".join(line.removeprefix(indent) for line in block.splitlines(keepends=True))
    code = re.sub(r"\n\s*\n", "\n", pasted.replace("tbtui.plugins.levels", "tests.toy_dashboard").strip())
    toys = [path.read_text() for path in (ROOT / "tests/toy_dashboard").rglob("*.py")]
    toys = [re.sub(r'\n    """.*?"""\n', "\n", toy, flags=re.DOTALL) for toy in toys]
    toys = [re.sub(r"\n\s*\n", "\n", toy) for toy in toys]
    assert any(textwrap.indent(code, 4 * depth * " ") in toy for toy in toys for depth in range(3)), code


def test_functions_of_the_architecture_page_are_in_the_modules_it_names() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"((?:`\w+`(?:, | and )?)+) in `([\w/]+\.py)`", page)
    assert len(named) > 10
    for names, path in named:
        code = (ROOT / "tbtui" / path.removeprefix("tbtui/")).read_text("utf-8")
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            assert re.search(rf"^(?:def|class) {name}\b|^{name}\b.* = ", code, re.MULTILINE), f"{name} is not in {path}"


def test_page_of_test_helpers_lists_every_helper() -> None:
    listed = set(
        re.findall(r"^\| \[`[^`]+`\]\(([\w/]+\.py)\)", reference.HELPERS_PAGE.read_text("utf-8"), re.MULTILINE)
    )
    assert listed == {path.relative_to(reference.TESTS).as_posix() for path in reference.package_helpers()}, (
        "run python -m tests.generate_reference"
    )


def test_benchmark_named_in_a_page_exists() -> None:
    for page in PAGES:
        for name in re.findall(r"`(bench_\w+\.py)", page.read_text("utf-8")):
            assert (ROOT / "tests" / "benchmarks" / name).exists(), f"{page_id(page)}: {name}"


def test_issue_forms_have_a_name_and_fields() -> None:
    yaml = pytest.importorskip("yaml")
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*_*.yml"):
        content = yaml.safe_load(form.read_text("utf-8"))
        assert {"name", "description", "body"} <= set(content)
        assert all({"type", "attributes"} <= set(field) for field in content["body"])


def test_version_of_the_changelog_is_that_of_the_package_or_the_next() -> None:
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert import_module("tbtui").__version__ in versions[:2]
