"""Forms of the HParams tab: the options of the table, and its export to a file. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.plugins.hparams.documents import TABLE_FORMATS, choose_table_format, format_table
from tbtui.plugins.hparams.metric import FIGURE_LABELS
from tbtui.plugins.hparams.rows import find_key
from tbtui.plugins.hparams.settings import FIGURES, RUN_NAMES, SESSIONS, SessionSettings, check_name_pattern
from tbtui.widgets.file_saver import FileSaver, create_file_fields
from tbtui.widgets.form_fields import Choice, Text, create_switch_field, group_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.plugins.hparams.rows import SessionRows
    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.plugins.hparams.session_table import SessionTable
    from tbtui.settings.settings import Settings
    from tbtui.widgets.form_fields import Field

EXPLAINED = (
    """The share is ε² of a rank analysis of variance: the part of the variance of the metric's ranks that the levels
of a hyperparameter explain, less what as many levels explain by chance. Diverged sessions have the last rank; sessions
that differ in their seeds alone count once, with their median. Below 12 sessions there are no shares.""",
    """A share is shown if its false discovery rate over all hyperparameters is below .1, and with ? below .3 (Kruskal
and Wallis, Benjamini and Hochberg). A pair is listed if both together explain more than both alone.""",
    """The profile is the median rank over the values, from least to greatest: low is better, ✗ is a level at which most
diverged. The range holds the middle 90 % of the best tenth. ⇥ says that the best lie at the edge of what was tried.""",
    """The noise of seeds is the standard deviation within groups, over the better half of them. Sessions above the
dotted line are within twice of it of the best: they are as good.""",
)
"""Explanation of the numbers, in paragraphs."""


def build_table_fields(prepared: PreparedSessions) -> tuple[Field, ...]:
    """Return the fields of the options of the table."""
    table, chosen = prepared.table, SESSIONS.value(prepared.view.settings)
    titles = tuple((metric.title, metric.title) for metric in table.metrics)
    main = "" if prepared.rows.metric is None else prepared.rows.metric.title
    seeds = ", ".join(table.seeds if chosen.seeds is None else chosen.seeds)

    def read_hparams(text: str) -> tuple[str, ...] | None:
        names = tuple(name.strip() for name in text.split(",") if name.strip())
        for name in names:
            if name not in table.hparams:
                raise ValueError(f"no hyperparameter {name!r}")
        return None if names == table.seeds else names

    def read_columns(text: str) -> tuple[str, ...]:
        keys = []
        for name in (name.strip() for name in text.split(",")):
            if name and (key := find_key(table, name)) is None:
                raise ValueError(f"no column {name!r}")
            if name and key is not None:
                keys.append(key)
        return tuple(keys)

    hidden = ", ".join(key[2:] for key in sorted(chosen.columns.hidden))
    constant = tuple(key[2:] for key in sorted(chosen.columns.shown))
    plain = SessionSettings()
    first = ", ".join(k[2:] for k in chosen.columns.first)
    figures, steps = tuple(FIGURE_LABELS.items()), (("", "the metric"), *titles)
    names = RUN_NAMES.value(prepared.view.settings) or OFF
    fields: list[Field] = []
    if titles:
        fields.append(Choice("metric", "metric", titles, main, "what sessions are judged by"))
    fields += [
        Choice("figure", "figure", figures, chosen.figure, "the point of each curve that counts", plain.figure),
        Choice("at", "best step of", steps, chosen.at, "for the figure “at the best step”", plain.at),
    ]
    sessions = (
        create_switch_field("grouped", "groups", chosen.grouped, GROUPS_HINT, default=plain.grouped),
        Text("seeds", "seeds", seeds, read_hparams, SEEDS_HINT, ", ".join(table.seeds)),
        Text("names", "run names", names, _read_names, NAMES_HINT, OFF),
    )
    columns = (
        Text("columns", "first columns", first, read_columns, "in this order; < > move", ""),
        Text("hidden", "hidden columns", hidden, read_columns, HIDDEN_HINT, ""),
        Text("constant", "also show", ", ".join(constant), read_columns, CONSTANT_HINT, ""),
    )
    return (
        *group_fields("Judged by", *fields),
        *group_fields("Sessions", *sessions),
        *group_fields("Columns", *columns),
    )


GROUPS_HINT = "one row for sessions that differ in their seeds alone"
SEEDS_HINT = "hyperparameters that repeat a training, with commas"
HIDDEN_HINT = "names with commas; _ hides the one under the cursor"
CONSTANT_HINT = "columns that are the same in all, or metrics"
NAMES_HINT = "no; auto: key=value and key<number>; or an expression with groups: (?P<opt>[a-z]+)_lr(?P<lr>[^_/]+)"
OFF = "no"


def _read_names(text: str) -> str | None:
    text = text.strip()
    if text in {"", OFF}:
        return None
    check_name_pattern(text)
    return text


def apply_table(entered: dict[str, Any]) -> Callable[[Settings], Settings]:
    """Return the change of settings that the fields of `build_table_fields` request."""

    def change(settings: Settings) -> Settings:
        chosen = SESSIONS.value(settings)
        return SESSIONS.with_value(
            RUN_NAMES.with_value(settings, entered["names"]),
            replace(
                chosen,
                metric=entered.get("metric", chosen.metric),
                figure=entered["figure"] if entered["figure"] in FIGURES else chosen.figure,
                at=entered["at"],
                grouped=entered["grouped"],
                seeds=entered["seeds"],
                columns=replace(
                    chosen.columns,
                    first=entered["columns"],
                    hidden=frozenset(entered["hidden"]),
                    shown=frozenset(entered["constant"]),
                ),
            ),
        )

    return change


class NoSessionError(Exception):
    """There is no session to write."""


class TableWriter(FileSaver):
    """Writes the rows and columns that are shown, in their order.

    Args:
        rows: Rows and columns as shown.
    """

    no_data_error = NoSessionError
    no_data_field = "path"

    def __init__(self, rows: SessionRows) -> None:
        super().__init__()
        self._shown = rows

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Yield the text in the chosen format, or in the one that the file name asks for."""
        if not self._shown.members:
            raise NoSessionError("no session is shown")
        self._rows = len(self._shown.members)
        yield from format_table(self._shown, entered["format"] or choose_table_format(entered["path"]))


def build_writer_fields() -> tuple[Field, ...]:
    """Return the fields of the form that writes a file."""
    return create_file_fields("sessions.csv", formats=TABLE_FORMATS)


def format_about_lines(prepared: PreparedSessions, session: str | None) -> list[str]:
    """Return an explanation of the numbers, and the files of the session under the cursor."""
    lines = [line for paragraph in EXPLAINED for line in (paragraph.replace("\n", " "), "")]
    importance = prepared.current_importance
    if importance is not None and importance.hparams:
        lines.append(f"{importance.metric}: hyperparameter, share, p, false discovery rate, levels")
        lines += [
            f"  {each.name}: {each.share:.3f}, p {each.p:.2g}, q {each.q:.2g}, {each.levels} levels"
            for each in importance.hparams
        ]
        lines.append("")
    lines += _list_session_files(prepared.table, prepared, session)
    return lines


def _list_session_files(table: SessionTable, prepared: PreparedSessions, session: str | None) -> list[str]:
    row = None if session is None else table.row_of.get(session)
    if row is None:
        return []
    entry = table.sessions[row]
    lines = [f"{entry.name}: values from {', '.join(entry.origins or entry.hparams_runs)}"]
    for name in entry.members:
        run = prepared.view.snapshot.runs.get(name)
        lines += [f"  {file.path}" for file in (run.files if run is not None else ())]
    return lines
