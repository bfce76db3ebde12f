from __future__ import annotations

from dataclasses import replace

from tbtui.settings.settings import SCALES, ChartSettings, Settings, next_in_cycle
from tbtui.view.changes import with_x_axis, with_y_scale


def test_a_chart_has_its_own_scale_and_range_before_that_of_all() -> None:
    settings = Settings(y_scale="log", x_range=(0.0, 9.0), charts={"a": ChartSettings("linear", (1.0, None))})
    assert (settings.get_y_scale("a"), settings.get_y_scale("b")) == ("linear", "log")
    assert (settings.get_x_range("a"), settings.get_x_range("b")) == ((1.0, None), (0.0, 9.0))


def test_what_is_chosen_for_a_chart_joins_what_was_and_the_rest_stays() -> None:
    settings = Settings(charts={"a": ChartSettings("log"), "b": ChartSettings("symlog")})
    charts = settings.with_chart("a", y_range=(0.0, 1.0))
    assert charts == {"a": ChartSettings("log", y_range=(0.0, 1.0)), "b": ChartSettings("symlog")}
    assert settings.charts["a"] == ChartSettings("log")


def test_a_chart_of_which_nothing_is_chosen_any_more_is_forgotten() -> None:
    settings = Settings(charts={"a": ChartSettings("log"), "b": ChartSettings("symlog")})
    assert settings.with_chart("a", y_scale=None) == {"b": ChartSettings("symlog")}


def test_another_x_axis_takes_along_nothing_in_the_units_of_the_former() -> None:
    charts = {"a": ChartSettings("log", (1.0, 2.0), (3.0, 4.0)), "b": ChartSettings(x_range=(1.0, None))}
    settings = Settings(x_range=(5.0, 6.0), cursor=7.0, mark=8.0, charts=charts, focus="run", skip_steps=3)
    assert with_x_axis(settings, "wall") == replace(
        Settings(focus="run", skip_steps=3), x_axis="wall", charts={"a": ChartSettings("log", y_range=(3.0, 4.0))}
    )


def test_one_scale_for_all_charts_replaces_that_of_each() -> None:
    charts = {"a": ChartSettings("log", (1.0, 2.0)), "b": ChartSettings("symlog")}
    chosen = with_y_scale(Settings(charts=charts), "log")
    assert chosen == Settings(y_scale="log", charts={"a": ChartSettings(x_range=(1.0, 2.0))})


def test_scales_go_round() -> None:
    assert [next_in_cycle(SCALES, scale) for scale in SCALES] == ["log", "symlog", "linear"]
