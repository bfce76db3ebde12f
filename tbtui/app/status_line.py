"""The status line at the top, and the texts of the app: what is shown, how fresh it is, why a pane is empty."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.app.layout import MIN_WIDE_COLUMNS
from tbtui.app.run_status import NO_NUMBERS
from tbtui.app.sidebar_rows import CROSS
from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import Piece, pieces_width, spread_pieces
from tbtui.charts.text import cell_width, safe, shorten
from tbtui.plugins.unsupported_data import describe_unshown_assets
from tbtui.run_health.ages import format_freshness
from tbtui.settings.filters import get_filter
from tbtui.view.descriptions import SOUGHT, format_searched
from tbtui.view.terms import may_be_terms
from tbtui.view.view import select_solo_runs
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from tbtui.app.state import AppState
    from tbtui.loading.state import FileProblem, LoadState

WARNING = "⚠"
HELP = "? help"
MIN_LABEL = 12
"""Columns that the log directory keeps before any other part of the line is dropped."""


# Texts


def format_part(part: int, count: int, noun: str) -> str:
    """Return `7 runs`, or `2 of 7 runs` if `part` differs from `count`."""
    return format_count(count, noun) if part == count else f"{part:,} of {format_count(count, noun)}"


def format_progress(load: LoadState, *, wide: bool = False) -> str:
    """Return `loading 43 %` during the initial load, otherwise an empty string.

    Args:
        load: The state. While directories are still being searched the share is not known: `loading 31.0 MB`.
        wide: If the load takes long, return `loading 43 % of 1.2 GB, about 12s left`.
    """
    if load.complete:
        return ""
    if not load.bytes_read:
        return "loading"
    if load.is_searching:
        return f"loading {numbers.format_size(load.bytes_read)}"
    share = f"loading {min(99, 100 * load.bytes_read // load.bytes_total)} %"
    if not wide or load.seconds_left is None:
        return share
    return (
        f"{share} of {numbers.format_size(load.bytes_total)}, about {numbers.format_duration(load.seconds_left)} left"
    )


def count_damaged_files(problems: Sequence[FileProblem]) -> int:
    """Return the number of damaged files; an empty file is not damaged."""
    return len({problem.path for problem in problems if problem.state != "empty"})


def summarize_damage(problems: Sequence[FileProblem]) -> str:
    """Return `2 damaged files, 1 empty`; an empty string without problems."""
    damaged = count_damaged_files(problems)
    empty = len({problem.path for problem in problems if problem.state == "empty"})
    parts = [format_count(damaged, "damaged file")] if damaged else []
    if empty:
        parts.append(f"{empty} empty" if damaged else format_count(empty, "empty file"))
    return ", ".join(parts)


def explain_empty_pane(app_state: AppState, label: str) -> tuple[str, str] | None:
    """Return the reason why there is nothing to draw, and a hint; None if there is something to draw.

    Args:
        app_state: The app state.
        label: The log directory as the user wrote it.
    """
    load, settings = app_state.load, app_state.settings
    runs = load.snapshot.runs
    if not runs:
        return _explain_no_run(load, label)
    if not app_state.passing:
        hidden = "the run" if len(runs) == 1 else f"all {format_count(len(runs), 'run')}"
        return f"the filter “{settings.run_filter}” hides {hidden}", "press escape to clear it"
    if app_state.plugin is None:
        return _explain_no_plugin(app_state)
    if not app_state.shown:
        return "all runs are hidden", "press a in the list of runs to show them"
    if app_state.plugin.has_outline:
        return None
    if not app_state.all_tags:
        return (
            f"no {app_state.plugin.noun} in the visible runs",
            "press space in the list of runs to show another one",
        )
    if not app_state.tags:
        hidden = "the tag" if len(app_state.all_tags) == 1 else f"all {format_count(len(app_state.all_tags), 'tag')}"
        return f"the filter “{settings.tag_filter}” hides {hidden}", "press escape to clear it"
    return None


def _explain_no_run(load: LoadState, label: str) -> tuple[str, str]:
    searched = "" if load.searched is None else format_searched(load.searched)
    if not load.complete:
        return f"looking for event files in {label}", f"{searched} so far" if searched else ""
    new = "press r to look again" if load.watching == "off" else "new ones appear by themselves"
    return f"no event files in {label} yet", f"{searched}, {SOUGHT}; {new}" if searched else new


def _explain_no_plugin(app_state: AppState) -> tuple[str, str]:
    plugins = sorted({plugin for summary in app_state.summaries.values() for plugin in summary.tags})
    if plugins:
        other_files = safe(", ".join(describe_unshown_assets(app_state.load.assets)))
        return f"nothing to draw in these runs yet: they hold {', '.join(plugins)}", other_files
    if not app_state.load.complete:
        return "reading", ""
    if app_state.load.watching == "off":
        return "no values in these runs yet", "press r to look again"
    return "no values in these runs yet", "they appear here as soon as they are written"


# Parts of the status line


def build_damage_notice(app_state: AppState, wide: bool) -> tuple[Piece, ...]:
    """Return `⚠ 1 damaged file`; nothing if all files are intact."""
    count = count_damaged_files(app_state.load.problems)
    if not count:
        return ()
    return ((f"{WARNING} {format_count(count, 'damaged file') if wide else count} ", Ink.WARN),)


def build_status_parts(app_state: AppState, *, wide: bool = True) -> list[tuple[int, Piece]]:
    """Return `2 of 7 runs`, `33 tags`, `live`, `✗ NaN in 1 run`, each with a weight: the lightest is dropped first."""
    settings, runs = app_state.settings, app_state.load.snapshot.runs
    text, are_all_shown = format_part(len(app_state.shown), len(runs), "run"), len(app_state.shown) == len(runs)
    load = app_state.load
    left = (
        ""
        if wide or load.complete or load.seconds_left is None
        else f"{numbers.format_duration(load.seconds_left)} left"
    )
    # The number of runs matters less than the worst trouble of any run, or the time left; hidden runs matter more.
    weight = 5 if not are_all_shown else 1 if left else 2
    parts: list[tuple[int, Piece]] = [(weight, (f"{text} (solo)" if is_solo(app_state) else text, Ink.DIM))]
    if app_state.plugin is not None:
        tags = format_part(app_state.unfolded, len(app_state.all_tags), "tag")
        parts.append((1, (tags, Ink.TEXT if settings.tag_filter else Ink.DIM)))
    activity = format_progress(load, wide=wide) or _format_activity(app_state, wide=wide)
    parts.append((6, (activity, Ink.DIM if load.complete else Ink.ACCENT)))
    if left:
        parts.append((2, (left, Ink.ACCENT)))
    parts += [(5, (f"{kind} filter: {error}", Ink.WARN)) for kind, error in _find_failing_filters(app_state)]
    return [*parts, *zip(chain([4], repeat(2)), build_health_pieces(app_state, wide=wide), strict=False)]


def build_health_pieces(app_state: AppState, *, wide: bool = True) -> list[Piece]:
    """Return `✗ NaN in 1 run`, `1 diverging`, `2 stalled` for the drawn runs; nothing if all are healthy."""
    troubles, stalled = app_state.health.troubles, app_state.health.stalled
    pieces: list[Piece] = []
    for kind, text in NO_NUMBERS.items():
        if count := troubles.get(kind, 0):
            pieces.append(
                (f"{CROSS} {text} in {format_count(count, 'run')}" if wide else f"{CROSS} {count} {text}", Ink.BAD)
            )
    if diverging := troubles.get("diverges", 0):
        pieces.append((f"{diverging} diverging", Ink.BAD))
    if stalled:
        pieces.append((f"{stalled} stalled", Ink.WARN))
    return pieces


def _find_failing_filters(app_state: AppState) -> list[tuple[str, str]]:
    """Return the applied filters that hide nothing because of an error, each with the error."""
    settings = app_state.settings
    is_made_of_terms = app_state.view.attributes is not None and may_be_terms(settings.run_filter)
    run_error = None if is_made_of_terms else get_filter(settings.run_filter).error
    tried = (("run", run_error), ("tag", get_filter(settings.tag_filter).error))
    return [(kind, error) for kind, error in tried if error]


def is_solo(app_state: AppState) -> bool:
    """Return True if one run or folder is drawn alone."""
    return bool(select_solo_runs(app_state.shown, app_state.settings))


def _format_activity(app_state: AppState, *, wide: bool) -> str:
    if app_state.load.watching == "off":
        return "not watching"
    activity = format_freshness(app_state.conditions.age, brief=not wide) or "waiting"
    is_live = activity.startswith("live")
    return f"{activity} (polled)" if is_live and app_state.load.watching == "polled" else activity


def shorten_path(path: str, width: int) -> str:
    """Return a path in at most `width` columns: `…/trainings/digits`. Its end is the most specific part."""
    path = safe(path)
    while cell_width(path) > width and "/" in path.removeprefix("…/").rstrip("/"):
        path = "…/" + path.removeprefix("…/").partition("/")[2]
    return shorten(path, width)


# The line


def build_status_line(app_state: AppState, label: str, width: int, keys: bool = True) -> tuple[Piece, ...]:
    """Return the whole status line.

    Args:
        app_state: The app state.
        label: The log directory as the user wrote it.
        width: Terminal columns.
        keys: True if the footer is shown; otherwise this line names the key for help.
    """
    wide = width >= MIN_WIDE_COLUMNS
    name: tuple[Piece, ...] = ((" tbtui  ", Ink.ACCENT),) if wide else ((" ", Ink.NONE),)
    notice = build_damage_notice(app_state, wide)
    parts = [*build_status_parts(app_state, wide=wide), *([] if keys else [(3, (HELP, Ink.ACCENT))])]
    around = pieces_width(name) + cell_width(shorten_path(label, MIN_LABEL)) + pieces_width(notice)
    room = width - around - (4 if notice else 2)  # a blank before what follows, and the margin
    while len(parts) > 1 and pieces_width(_join_parts(parts)) > room:
        parts.remove(min(reversed(parts), key=lambda weighted: weighted[0]))
    right = [*_join_parts(parts), ("   " if notice else " ", Ink.NONE), *notice]
    label = shorten_path(label, max(width - pieces_width(name) - pieces_width(right) - 1, 1))
    return spread_pieces((*name, (label, Ink.BOLD)), right, width)


def _join_parts(parts: list[tuple[int, Piece]]) -> list[Piece]:
    pieces: list[Piece] = []
    for _, piece in parts:
        pieces += [(" · ", Ink.FAINT), piece] if pieces else [piece]
    return pieces


class StatusLine(Line):
    """The status line as a widget. A click on the damage notice opens the list of damaged files."""

    class DamageRequested(Message):
        """The damage notice was clicked."""

    def on_click(self, event: events.Click) -> None:
        """Request the damage list if the click is on the notice, which is the last piece."""
        notice = self.pieces[-1:] if self.pieces and self.pieces[-1][0].startswith(WARNING) else ()
        if notice and event.x >= self.size.width - pieces_width(notice):
            event.stop()
            self.post_message(self.DamageRequested())
