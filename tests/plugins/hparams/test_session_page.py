"""Test the page of a session or group: the curves of seeds are a mean with a band."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.cells import Cells, to_faint_ink
from tbtui.plugins.hparams.session_page import draw_session, measure_page
from tbtui.settings.settings import Settings
from tests.helpers.sessions import prepared, session_run
from tests.helpers.snapshots import store
from tests.helpers.views import picture

if TYPE_CHECKING:
    from tbtui.plugins.hparams.session_cache import PreparedSessions

CURVES = {0: (1.0, 1.0, 2.0), 1: (1.0, 3.0, 4.0), 2: (1.0, 5.0, 6.0)}


def groups(*, grouped: bool = True, **settings: Any) -> PreparedSessions:
    """Return three seeds of one setting, whose loss spreads from step to step, and one session of another."""
    runs = [
        session_run(f"s{seed}", {"lr": 0.1, "seed": float(seed)}, {"loss": values}) for seed, values in CURVES.items()
    ]
    other = session_run("other", {"lr": 0.2, "seed": 0.0}, {"loss": [9.0, 9.0, 9.0]})
    return prepared(store(*runs, other), settings=Settings(**settings), grouped=grouped)


def band_rows(cells: Cells, ink: int) -> list[int]:
    """Return the number of rows with a band in each column."""
    counts = ((cells.inks == to_faint_ink(ink)) & (cells.glyphs > 0x2800)).sum(axis=0)
    return [int(count) for count in counts if count]


def test_page_of_a_group_draws_the_mean_of_its_seeds_with_their_band() -> None:
    made = groups()
    cells = draw_session(made, "s0", 60, 40)
    text = picture(cells)
    assert "3 sessions" in text
    assert "mean of 3 ±std 4" in text
    rows = band_rows(cells, made.view.inks["s0"])
    # All seeds begin with 1: the band opens to the right.
    assert rows[0] < rows[-1]
    assert len(rows) > 20


def test_page_of_a_group_may_span_from_the_least_to_the_greatest() -> None:
    standard = band_rows(draw_session(groups(), "s0", 60, 40), groups().view.inks["s0"])
    made = groups(spread="minmax")
    cells = draw_session(made, "s0", 60, 40)
    assert "mean of 3 min–max 4" in picture(cells)
    assert sum(band_rows(cells, made.view.inks["s0"])) > sum(standard)


def test_page_of_one_session_has_its_curve_alone() -> None:
    made = groups(grouped=False)
    cells = draw_session(made, "s1", 60, 40)
    assert "mean of" not in picture(cells)
    assert band_rows(cells, made.view.inks["s1"]) == []


def test_page_names_the_former_sessions_of_a_resumed_run() -> None:
    made = groups(grouped=False)
    session = replace(made.table.sessions[made.table.row_of["s1"]], sessions=2, changed=("lr",))
    sessions = tuple(session if each.name == "s1" else each for each in made.table.sessions)
    table = replace(made.table, sessions=sessions)
    text = picture(draw_session(replace(made, table=table, rows=replace(made.rows, table=table)), "s1", 40, 40))
    assert "s1: the last of 2 sessions in this run; between them changed lr" in " ".join(text.split())
    assert "…" not in text


def test_page_scrolls_to_its_last_line() -> None:
    made = groups()
    height = measure_page(made, "s0", 40)
    last = picture(draw_session(made, "s0", 40, 5, height - 5)).splitlines()
    assert "╰" in last[-1]
    assert np.array_equal(
        draw_session(made, "s0", 40, height, 0).glyphs[-5:], draw_session(made, "s0", 40, 5, height - 5).glyphs
    )


@pytest.mark.parametrize("width", [100, 40, 36])
def test_session_page_aligns_metrics_with_values_and_cuts_no_column(width: int) -> None:
    lines = [line.rstrip() for line in picture(draw_session(groups(), "s0", width, 40)).splitlines()]
    heading = next(line for line in lines if line.split()[:2] == ["hparam", "value"])
    metric = next(line for line in lines if line.split()[:1] == ["metric"])
    end = heading.index("value") + len("value")
    assert len(metric) == end, "the figure stands above the values"
    values = [line for line in lines[: lines.index(heading)] if line.startswith("  ") and "rank" not in line]
    assert all(len(line[:end].rstrip()) == end for line in values if line.split() and "from" not in line)
    assert not any(line.endswith("…") for line in lines[lines.index(heading) :][:3])
    assert ("source" in heading) == (width == 100)
