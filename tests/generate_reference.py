"""Generate tables of documents: options from the parsers, keys from the bindings, test helpers from their docstrings.

`python -m tests.generate_reference`, called from the root of the project, rewrites the tables of docs/reference.md and
tests/README.md.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding

from tbtui.app.app import Dashboard
from tbtui.app.colour_chooser import ColourTable
from tbtui.app.key_meanings import LETTERS, OTHERS
from tbtui.app.keymap import format_keys, iterate_bindings, merge_descriptions, moves_cursor, parse_action_name
from tbtui.app.main_screen import MainScreen
from tbtui.app.run_list import RunList
from tbtui.app.tag_list import TagList
from tbtui.cli.options import COMMANDS
from tbtui.cli.options.suggestions import get_parser
from tbtui.plugins.registry import list_tabs
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.charts_pane import ChartsPane
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from tbtui.cli.options.parser import OneLineParser
    from tbtui.plugins.base import Plugin

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "reference.md"
HELPERS_PAGE = TESTS / "README.md"
NO_HELPERS = ("benchmarks", "corpus", "drills", "tensorboard", "toy_dashboard")
"""Folders of programs, recorded data and the example of a dashboard."""

PROGRAMS = ("damage/drill.py", "fuzz/fuzz_events.py", "screens/monkey.py", "screens/renew.py")
SECTION = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)
MARKUP = re.compile(r"[|*<>]")


class Place(NamedTuple):
    """Classes whose keys share a heading; keys of earlier classes come first."""

    heading: str
    classes: tuple[type, ...]


def option_tables() -> str:
    """Return one table of the options that all commands share, then one table per command."""
    parsers = [get_parser(name) for name in ("dashboard", *COMMANDS)]
    readers = [set(option_rows(parser)) for parser in parsers if reads_logs(parser)]
    shared = set.intersection(*readers)
    parts = ["### Every command that reads logs", table(row for row in option_rows(parsers[0]) if row in shared)]
    for parser in parsers:
        rows = option_rows(parser)
        own = [row for row in rows if row not in shared] if shared <= set(rows) else rows
        parts += [f"### `{parser.call}`", parser.summary]
        parts += [table(own)] if own else []
    return "\n\n".join(parts) + "\n"


def reads_logs(parser: OneLineParser) -> bool:
    return bool(parser.positionals) and parser.positionals[0].dest == "paths"


def option_rows(parser: OneLineParser) -> list[str]:
    """Return one row of a table per argument of a command."""
    return [
        f"| `{spelling(action)}` | {escaped(parser.get_help_line(action))} |"
        for action in (*parser.positionals, *parser.options)
    ]


def table(rows: Iterable[str], left: str = "option", right: str = "meaning") -> str:
    return "\n".join([f"| {left} | {right} |", "| --- | --- |", *rows])


def escaped(text: str) -> str:
    return MARKUP.sub(lambda mark: chr(92) + mark[0], text)


def spelling(action: argparse.Action) -> str:
    """Return an argument as the help of its command spells it."""
    if isinstance(action.metavar, str):
        value = action.metavar
    elif action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        value = action.dest.upper()
    names = ", ".join(action.option_strings)
    return " ".join(part for part in (names, "" if action.nargs == 0 else value) if part)


def key_tables() -> str:
    """Return a table of keys per place: everywhere, the sidebar, charts, then each tab."""
    parts: list[str] = []
    for place in places():
        groups = key_groups(place.classes)
        if groups:
            parts.append(f"### {place.heading}")
        for title, bindings in groups.items():
            if len(groups) > 1 or title != place.heading:
                parts.append(f"**{title}**")
            parts.append(table((key_row(same) for same in bindings), "keys", "action"))
    return "\n\n".join(parts) + "\n"


def places(plugins: Iterable[Plugin] | None = None) -> Iterator[Place]:
    """Yield where keys work: everywhere, then the tab of each plugin (None: of all)."""
    yield Place("Everywhere", (Dashboard, MainScreen))
    yield Place("Moving", (RowList,))
    yield Place("Sidebar", (RunList, TagList, FilterBar, ColourTable))
    yield Place("Cards and charts of every tab", (CardGrid, ChartsPane, ChartView))
    for plugin in list_tabs() if plugins is None else plugins:
        assert plugin.load_pane is not None
        pane = plugin.load_pane()
        package = pane.__module__.rpartition(".")[0]
        yield Place(f"Tab {plugin.title}", (pane, *(found for found in classes_with_keys(package) if found != pane)))


def classes_with_keys(package: str) -> Iterator[type]:
    """Yield the classes of a package that declare keys of a heading, in the order of modules and definitions."""
    folder = importlib.import_module(package)
    for found in pkgutil.iter_modules(folder.__path__, f"{package}."):
        module = importlib.import_module(found.name)
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == found.name and heading_of(value):
                yield value


def heading_of(node_class: type) -> str:
    return str(getattr(node_class, "BINDING_GROUP_TITLE", None) or "")


def key_groups(classes: Iterable[type]) -> dict[str, list[list[Binding]]]:
    """Return the bindings that the classes declare themselves, by heading; those of one action share a row."""
    groups: dict[str, dict[str, list[Binding]]] = {}
    classes = tuple(classes)
    unused = {name for node_class in classes for name in getattr(node_class, "UNUSED", ())}
    for node_class in classes:
        for binding in iterate_bindings(node_class):
            if parse_action_name(binding) in unused:
                continue
            title = binding.group.description if binding.group is not None else heading_of(node_class)
            if moves_cursor(binding):
                title = f"{title}: moving" if title else "Moving"
            name = parse_action_name(binding)
            action = binding.action if name == "next_setting" else name
            if title and (binding.tooltip or binding.description):
                groups.setdefault(title, {}).setdefault(f"{node_class.__name__}.{action}", []).append(binding)
    return {title: list(actions.values()) for title, actions in groups.items()}


def key_row(bindings: list[Binding]) -> str:
    signs = [sign for binding in bindings for sign in format_keys(binding)]
    keys = f"`{signs[0]}` to `{signs[-1]}`" if len(bindings) > 4 else " ".join(f"`{sign}`" for sign in signs)
    texts = [binding.tooltip or binding.description for binding in bindings]
    return f"| {keys.replace('|', chr(92) + '|')} | {escaped(merge_descriptions(texts))} |"


def package_helpers() -> list[Path]:
    """Return the helper modules in the test folders of packages."""
    found = []
    for path in sorted(TESTS.glob("*/**/*.py")):
        name = path.relative_to(TESTS).as_posix()
        is_helper = not path.name.startswith(("test_", "conftest", "__init__"))
        if is_helper and name not in PROGRAMS and name.partition("/")[0] not in NO_HELPERS:
            found.append(path)
    return found


def helpers_table() -> str:
    """Return a table of these modules with the first sentence of their docstrings."""
    rows = []
    for path in package_helpers():
        name = path.relative_to(TESTS).as_posix()
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        rows.append(f"| [`{name}`]({name}) | {escaped(' '.join(docstring.partition(chr(10) * 2)[0].split()))} |")
    return table(rows, "module", "docstring") + "\n"


def meanings_table() -> str:
    """Return one row per meaning of keys: letters, then other keys."""
    rows = []
    for meaning in (*LETTERS, *OTHERS):
        signs = [f"`{format_keys(Binding(key, ''))[0]}`" for key in meaning.keys]
        keys = " ".join(signs) if len(signs) <= MAX_KEYS_OF_A_ROW else f"{signs[0]} to {signs[-1]}"
        rows.append(f"| {keys} | {escaped(meaning.label)} |")
    return table(rows, "keys", "meaning") + "\n"


MAX_KEYS_OF_A_ROW = 8

TABLES = {"options": option_tables, "keys": key_tables, "meanings": meanings_table, "helpers": helpers_table}


def updated(text: str) -> str:
    """Return the text of the page with current tables."""
    return SECTION.sub(lambda found: f"<!-- generated: {found[1]} -->\n\n{TABLES[found[1]]()}\n<!-- end -->\n", text)


if __name__ == "__main__":
    for page in (PAGE, HELPERS_PAGE):
        page.write_text(updated(page.read_text("utf-8")), "utf-8")
