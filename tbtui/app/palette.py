"""The palette: one list of commands, tabs, tags, runs and themes, narrowed by typing parts of a name."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from tbtui.app.footer import EVERYWHERE
from tbtui.app.key_meanings import PURPOSES, find_purpose
from tbtui.app.keymap import (
    NO_KEYS,
    apply_keymap,
    find_group_title,
    format_keys,
    iterate_bindings,
    iterate_classes,
    moves_cursor,
    parse_action_name,
)
from tbtui.app.themes import NAMES
from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.frozen import frozen
from tbtui.run_health.summaries import collect_tags
from tbtui.view.natural_order import sort_naturally
from tbtui.view.view import sort_runs
from tbtui.widgets.grid_viewport import LazyRows
from tbtui.widgets.line import Line
from tbtui.widgets.row_list import RowList
from tbtui.widgets.tab_strip import TAB_KEYS
from tbtui.widgets.textual_patches.modal import DismissOnceScreen
from tbtui.widgets.textual_patches.paste_guard import TYPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from textual.app import App, ComposeResult
    from textual.dom import DOMNode

    from tbtui.app.state import AppState
    from tbtui.plugins.base import Plugin

WIDTH = 76
MAX_ROWS = 20
MAX_FOUND = 1000
"""Rows of one list; more are narrowed by typing."""

FOCUS_GROUPS = frozenset({"Filter"})
"""Groups of keys that have no effect without the focus."""


@frozen
class Entry:
    """One line of the palette."""

    label: str
    """Any text."""

    run: Callable[[], object]
    note: str = ""
    """Kind of the entry or its tab, such as `run`; the query finds it too."""

    key: str = ""
    """Symbol of the key that does the same."""


class GoTo(Message):
    """The user wants to see a run, or a tag in its tab."""

    def __init__(self, *, run: str = "", tag: str = "", tab: str = "") -> None:
        super().__init__()
        self.run, self.tag, self.tab = run, tag, tab


class EntryGroup:
    """Entries of one kind. Those of names are made when they are shown, as a log may have ten thousand tags.

    Args:
        note: Note of all entries.
        find_labels: Returns the labels, in order; called when they are first needed.
        make: Returns the entry of a label.
    """

    def __init__(self, note: str, find_labels: Callable[[], Sequence[str]], make: Callable[[str], Entry]) -> None:
        self.note, self._find_labels, self.make = note, find_labels, make

    @classmethod
    def of(cls, entry: Entry) -> EntryGroup:
        """Return the group of one entry."""
        return cls(entry.note, lambda: (entry.label,), lambda _: entry)

    @cached_property
    def labels(self) -> Sequence[str]:
        """The labels, in order."""
        return self._find_labels()

    @cached_property
    def lowered(self) -> Sequence[str]:
        """The labels in lower case."""
        return [label.lower() for label in self.labels]


def list_entries(
    app: App[int],
    focused_owners: Sequence[DOMNode],
    other_owners: Sequence[DOMNode],
    state: AppState,
    keymap: Mapping[str, str] = NO_KEYS,
) -> list[EntryGroup]:
    """Return all entries: commands of the focused part, tabs, other commands, themes, tags and runs.

    Args:
        app: Runs the actions.
        focused_owners: The focused part and its ancestors.
        other_owners: The other nodes with key bindings.
        state: Names tabs, tags and runs.
        keymap: Keys that the user has changed, by the id of their binding.
    """
    seen: set[type] = set()
    commands = [
        *_list_commands(app, focused_owners, seen, keymap),
        *_list_tabs(app, state, keymap),
        *_list_commands(app, other_owners, seen, keymap, with_group=True),
        *(Entry(f"Theme {name}", partial(setattr, app, "theme", name), "theme") for name in NAMES),
    ]
    runs = frozenset(state.load.snapshot.runs)
    return [
        *map(EntryGroup.of, commands),
        *_list_tags(app, state),
        EntryGroup("run", partial(sort_runs, runs), lambda run: Entry(run, partial(_post_go_to, app, run=run), "run")),
    ]


def _list_tabs(app: App[int], state: AppState, keymap: Mapping[str, str]) -> Iterator[Entry]:
    for number, plugin in enumerate(state.plugins, 1):
        key = TAB_KEYS[number - 1] if number <= len(TAB_KEYS) else ""
        if changed := keymap.get(f"app.tab_{number}", ""):
            key = format_keys(Binding(changed, ""))[0]
        yield Entry(f"Open {plugin.title}", partial(app.run_action, f"open_tab({number})"), "tab", key)


def _list_commands(
    app: App[int],
    nodes: Iterable[DOMNode],
    seen: set[type],
    keymap: Mapping[str, str],
    *,
    with_group: bool = False,
) -> Iterator[Entry]:
    commands: list[tuple[tuple[bool, int], Entry]] = []
    taken_keys: set[str] = set()
    for node in nodes:
        for node_class in iterate_classes(node, seen):
            for declared in iterate_bindings(node_class):
                binding = apply_keymap(declared, keymap)
                group = find_group_title(node, node_class, binding)
                if group in FOCUS_GROUPS or not _is_command(binding) or not _is_enabled(node, binding):
                    continue
                text = binding.tooltip or binding.description
                note = group if with_group and group != EVERYWHERE else ""
                run = partial(app.run_action, binding.action, node)
                purpose = PURPOSES.index(find_purpose(declared.key.split(",")))
                # A key does the action of the node nearest to the focus: `/` searches the text, not the tags.
                free_keys = [key for key in format_keys(binding) if with_group or key not in taken_keys]
                taken_keys.update(free_keys)
                entry = Entry(text[0].upper() + text[1:], run, note, free_keys[0] if free_keys else "")
                commands.append(((not binding.show, purpose), entry))
    yield from (entry for _, entry in sorted(commands, key=lambda each: each[0]))


def _is_command(binding: Binding) -> bool:
    """Return True for actions that are useful by name: no cursor keys, no tabs (listed by title), not the palette."""
    named = bool(binding.description or binding.tooltip)
    return named and not moves_cursor(binding) and not binding.action.startswith(("open_tab", "command_palette"))


def _is_enabled(node: DOMNode, binding: Binding) -> bool:
    """Return True unless a node says that the action has no effect now."""
    return node.check_action(parse_action_name(binding), ()) is not False


def _list_tags(app: App[int], state: AppState) -> Iterator[EntryGroup]:
    """Yield the tags of all tabs in natural order, those of the open tab first."""
    first = sorted(state.plugins, key=lambda plugin: plugin is not state.plugin)
    seen: frozenset[str] = frozenset()
    for plugin in first:
        if plugin.has_outline:
            continue
        tags = collect_tags(state.view.summaries, state.view.runs, plugin.lists or plugin.reads)
        yield EntryGroup(
            plugin.title,
            partial(sort_naturally, tags - seen if seen else tags),
            partial(_create_tag_entry, app, plugin),
        )
        seen |= tags


def _create_tag_entry(app: App[int], plugin: Plugin, tag: str) -> Entry:
    return Entry(tag, partial(_post_go_to, app, tag=tag, tab=plugin.name), plugin.title)


def _post_go_to(app: App[int], *, run: str = "", tag: str = "", tab: str = "") -> None:
    app.post_message(GoTo(run=run, tag=tag, tab=tab))


def search_entries(every: Sequence[EntryGroup], query: str) -> list[tuple[EntryGroup, str]]:
    """Return the entries that contain all words of a query, at most `MAX_FOUND`, each by its group and label.

    The entry with this label comes first, then those whose label begins with the first word, then those in which it
    begins a word.
    """
    words = query.lower().split()
    if not words:
        return list(islice(((group, label) for group in every for label in group.labels), MAX_FOUND))
    ranks: tuple[list[tuple[EntryGroup, str]], ...] = ([], [], [], [])
    for group in every:
        note = group.note.lower()
        missing = [word for word in words if word not in note]
        for label, lowered in zip(group.labels, group.lowered, strict=True):
            if not missing or (missing[0] in lowered and all(word in lowered for word in missing)):
                rank = ranks[_rank_label(lowered, query.lower(), words[0])]
                if len(rank) < MAX_FOUND:
                    rank.append((group, label))
    return list(islice(chain.from_iterable(ranks), MAX_FOUND))


def _rank_label(lowered: str, query: str, word: str) -> int:
    """Return 0 if a label is the query, 1 if it begins with the word, 2 if one of its words does, otherwise 3."""
    position = lowered.find(word)
    if position == 0:
        return int(lowered != query)
    return 2 if position > 0 and not lowered[position - 1].isalnum() else 3


PROMPT, SHORT_PROMPT = "command, tab, tag or run – type part of its name", "type part of its name"
"""Words of the empty field; the short ones stand in a terminal that would cut the others."""


class EntryList(RowList):
    """A list whose cursor is shown while the field above it has the focus."""

    can_focus = False

    @property
    def is_active(self) -> bool:
        return True


class Palette(ModalScreen[None], DismissOnceScreen[None]):
    """Lists entries, and runs the chosen one after it has closed.

    Args:
        every: Groups of entries, most useful first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close", system=True),
        Binding("up,ctrl+p,shift+tab", "move(-1)", "above", system=True),
        Binding("down,ctrl+n,tab", "move(1)", "below", system=True),
        Binding("pageup", "move_page(-1)", "page up", system=True),
        Binding("pagedown", "move_page(1)", "page down", system=True),
    ]

    DEFAULT_CSS = f"""
    Palette {{ align: center top; background: transparent; }}
    Palette > Vertical {{
        width: {WIDTH}; max-width: 100%; height: auto; max-height: 100%;
        background: $background; border: round $foreground 50%;
    }}
    Palette Input, Palette Input:focus {{ background: transparent; background-tint: transparent; padding: 0 1; }}
    """

    def __init__(self, every: Sequence[EntryGroup]) -> None:
        super().__init__()
        self._every, self._found = tuple(every), search_entries(every, "")
        self._field = Input(placeholder=PROMPT, compact=True, restrict=TYPED)
        self._field.cursor_blink = False
        self._rows = EntryList(is_divided=False)
        self._box = Vertical(self._field, Line(), self._rows)

    def compose(self) -> ComposeResult:
        """Yield the field, and the list below it, which has its height before the first layout."""
        self._fit()
        yield self._box

    def on_mount(self) -> None:
        """Focus the field."""
        self._field.focus()
        self._show("")

    def on_resize(self) -> None:
        """Fit the list to the terminal."""
        self._fit()

    def _fit(self) -> None:
        width, height = self.app.size
        self._field.placeholder = PROMPT if width >= len(PROMPT) + 6 else SHORT_PROMPT
        room = max(height - 4, 1)
        self._rows.styles.height = max(min(len(self._found), MAX_ROWS, room), 1)

    def _show(self, query: str) -> None:
        self._found = search_entries(self._every, query)
        self._fit()
        self._rows.show_rows((), "")
        self._rows.show_rows(LazyRows(tuple(map(str, range(len(self._found)))), self._build_row), "no match")
        self._rows.action_move_to(0)

    def _get_entry(self, index: int) -> Entry:
        group, label = self._found[index]
        return group.make(label)

    def _build_row(self, index: int) -> Row:
        entry = self._get_entry(index)
        right = ((f"{entry.note} " if entry.note else "", Ink.DIM), (f" {entry.key:>3} ", Ink.ACCENT))
        return Row(str(index), ((" ", Ink.NONE),), entry.label, Ink.TEXT, right=right)

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what matches."""
        event.stop()
        self._show(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the entry under the cursor."""
        event.stop()
        self._run()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Run the entry that was clicked."""
        event.stop()
        self._run()

    def _run(self) -> None:
        key = self._rows.cursor_key
        if key is not None:
            self.dismiss()
            self.app.call_later(self._get_entry(int(key)).run)

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._rows.action_move(rows)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self._rows.action_move_page(pages)
