"""The file with which a user changes keys, and what is told about keys once.

A line of the file names an action and its keys: `grid.open = o`. The file is read at the start. Lines that cannot be
used are reported, and the others apply.
"""

from __future__ import annotations

import difflib
import re
import string
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.keys import Keys, _character_to_key

from tbtui.app.moved_keys import MOVED, MovedKeys
from tbtui.frozen import frozen
from tbtui.paths import state_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from textual.binding import Binding

MAX_FILE_BYTES = 1 << 20

MODIFIERS = re.compile(r"(?:(?:ctrl|shift|alt|super)\+)*")

NAMES = frozenset(key.value for key in Keys) | {"space", *map(_character_to_key, string.punctuation)}
"""Keys with names; a character stands for itself."""

MOVED_KEYS = "Keys mean the same in all tabs now. One that has moved says so when you press it. ? shows all keys."
"""Told once to users of an older version."""


@frozen
class KeysFile:
    """Keys that a user has changed."""

    keymap: Mapping[str, str]
    """Keys of an action, separated by commas, by the id of its binding."""

    complaints: tuple[str, ...] = ()
    """Sentences about lines that cannot be used, and about keys with two actions."""


def keys_path() -> Path:
    """Return the path of the file; it may not exist."""
    return state_directory() / "keys.conf"


def read_keys_file(path: Path) -> KeysFile:
    """Read a file; without one, no key is changed."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return KeysFile({}, (f"{path} is too large for a list of keys",))
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return KeysFile({})
    except (OSError, ValueError) as error:
        return KeysFile({}, (f"{path} cannot be read: {error}",))
    from tbtui.app.key_conflicts import hidden_keys, key_chains

    found = parse_keys(text, known_bindings())
    hidden = hidden_keys(found.keymap, key_chains()) if found.keymap else ()
    return replace(found, complaints=(*found.complaints, *hidden))


def parse_keys(text: str, known: Mapping[str, Mapping[str, Binding]]) -> KeysFile:
    """Parse lines `action = key key`; `#` begins a comment.

    Args:
        text: The file.
        known: By name of a class, its bindings by id.
    """
    ids = {name for bindings in known.values() for name in bindings}
    keymap: dict[str, str] = {}
    complaints = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition(" #")[0].strip()
        if not words or words.startswith("#"):
            continue
        name, equals, keys = (part.strip() for part in words.partition("="))
        listed = keys.replace(",", " ").split()
        wrong = [key for key in listed if not is_key(key)]
        if not equals or not listed:
            complaints.append(f"line {number}: expected “action = key”")
        elif name not in ids:
            near = difflib.get_close_matches(name, ids, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            complaints.append(f"line {number}: unknown action {name}{hint}")
        elif wrong:
            complaints.append(f"line {number}: {wrong[0]} is no key; write o, ctrl+o, f2, space, comma")
        else:
            keymap[name] = ",".join(listed)
    return KeysFile(keymap, (*complaints, *_conflicts(keymap, known)))


def is_key(text: str) -> bool:
    """Return True for a character, the name of a key, or one of them behind modifiers."""
    bare = text[len(match[0]) :] if (match := MODIFIERS.match(text)) else text
    return len(bare) == 1 or bare in NAMES


def _conflicts(keymap: Mapping[str, str], known: Mapping[str, Mapping[str, Binding]]) -> Iterator[str]:
    """Yield a sentence for each changed key that another action of the same part has too."""
    from tbtui.app.key_conflicts import key_names

    for bindings in known.values():
        keys = {name: key_names(keymap.get(name, binding.key)) for name, binding in bindings.items()}
        for name in bindings.keys() & keymap.keys():
            for other in bindings:
                both = keys[name] & keys[other]
                if other != name and both and (other not in keymap or other > name):
                    yield f"{min(both)} is the key of {name} and of {other}; {name} has it"


def known_bindings() -> dict[str, dict[str, Binding]]:
    """Return the bindings with an id, by the name of their class; imports all panes."""
    from tbtui.app.app import Dashboard
    from tbtui.app.key_conflicts import pane_classes
    from tbtui.app.keymap import own_bindings
    from tbtui.app.main_screen import MainScreen
    from tbtui.app.sidebar import RunList, TagList
    from tbtui.plugins.registry import tabs
    from tbtui.widgets.card_grid import CardGrid
    from tbtui.widgets.chart_view import ChartView
    from tbtui.widgets.charts_pane import ChartsPane
    from tbtui.widgets.data_grid import DataGrid

    classes: dict[str, type] = {
        each.__name__: each
        for each in (Dashboard, MainScreen, RunList, TagList, CardGrid, ChartView, ChartsPane, DataGrid)
    }
    for plugin in tabs():
        classes |= {f"{plugin.name}.{each.__name__}": each for each in pane_classes(plugin)}
    tables = {name: {each.id: each for each in own_bindings(of) if each.id} for name, of in classes.items()}
    return {name: table for name, table in tables.items() if table}


def template(known: Mapping[str, Mapping[str, Binding]]) -> str:
    """Return a file in which every action is a comment with its present keys."""
    lines = ["# Keys of tbtui. Remove the # of a line and change its keys; several are separated by blanks.", ""]
    for name, bindings in known.items():
        lines.append(f"# {name}")
        lines += [
            f"# {binding_id} = {binding.key.replace(',', ' ')}   # {binding.tooltip or binding.description}"
            for binding_id, binding in bindings.items()
        ]
        lines.append("")
    return "\n".join(lines)


def write_template(path: Path) -> str:
    """Write the file unless there is one; return what happened."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(template(known_bindings()))
    except FileExistsError:
        return f"your keys are in {path}"
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    return f"all keys are listed in {path}: change them there"


@frozen
class Introduction:
    """Notices about keys at a start of the dashboard."""

    is_first: bool = False
    """True: the footer shows the keys that matter, in full words."""

    notice: str = ""
    moved: MovedKeys | None = None
    """Tells where single keys went when they are pressed."""


def introduction(state: Path, keymap: Mapping[str, str]) -> Introduction:
    """Return what to tell about keys at this start; nothing at the second start of a new user.

    Args:
        state: The directory of settings.
        keymap: Keys that the user has changed.
    """
    path = state / "keys_told"
    try:
        told = path.read_text("utf-8").split("\n") if path.exists() else None
    except (OSError, ValueError):
        return Introduction()
    if told is not None:
        is_done = not told[0].startswith(MOVED)
        return Introduction(moved=None if is_done else MovedKeys(path, frozenset(filter(None, told[1:])), keymap))
    is_known = (state / "choices").exists()
    try:
        state.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{MOVED}\n" if is_known else "all\n", "utf-8")
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return Introduction()  # it would be told at every start
    if is_known:
        return Introduction(notice=MOVED_KEYS, moved=MovedKeys(path, frozenset(), keymap))
    return Introduction(is_first=True)
