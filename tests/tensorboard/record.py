"""Asks TensorBoard itself, in a browser, for the numbers that tbtui is compared with: see README.md."""

from __future__ import annotations

import argparse
import tempfile
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import made_series
import numpy as np
from front_end import front_end, serve
from keeping import keep
from playwright.sync_api import Page, sync_playwright

from tbtui.events.writer import EventFileWriter

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Route

Json: TypeAlias = Any

EXPERIMENT = "defaultExperimentId/"
SCALES = ("linear", "log")
SMOOTHING = (0, 0.6, 0.9, 0.99, 0.999)
X_AXES = ("step", "relative", "wall")
HOVERED = {(0, "step"), (0.6, "step"), (0.99, "step"), (0.9, "relative"), (0.6, "wall")}
"""Smoothing and x axis of the charts whose tooltips are read."""

AT = (0.03, 0.31, 0.5, 0.93)
"""Where the mouse stands, as parts of the width of a chart."""

LONG_EVERY = 131
"""Of a long series, every such point that comes out is kept."""

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-3d-apis",  # a page may hold fewer WebGL canvases than there are cards: charts are drawn as SVG
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def main() -> None:
    """Write the log, have TensorBoard show it, and keep what it says beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    chromium = parser.parse_args().chromium
    log = made_series.log()
    charts: list[Json] = []
    tooltips: list[Json] = []
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        write_log(log, Path(directory))
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM)
        with serve(directory) as address:
            for smoothing in SMOOTHING:
                page = open_page(browser.new_page(viewport={"width": 2000, "height": 5000}), address, smoothing, log)
                for x_axis in X_AXES:
                    if (smoothing, x_axis) in HOVERED:
                        tooltips += read_tooltips(page, log, smoothing, x_axis)
                charts += read_charts(page, log, smoothing)
                if smoothing == SMOOTHING[-1]:
                    keep("smoothing.json", smoothing_answers(page))
                    keep("extents.json", extent_answers(page))
                page.close()
        print("TensorBoard", version("tensorboard"), "· Chromium", browser.version)
        browser.close()
    columns = {
        tag: {run: {"steps": p.steps, "wall_times": p.wall_times, "values": p.values} for run, p in runs.items()}
        for tag, runs in log.items()
    }
    keep("charts.json", {"log": columns, "charts": charts, "tooltips": tooltips})


def write_log(log: made_series.Log, root: Path) -> None:
    """Write event files, one a run."""
    for run in sorted({run for runs in log.values() for run in runs}):
        (root / run).mkdir()
        with EventFileWriter(str(root / run / "events.out.tfevents.1.host"), wall_time=made_series.START) as writer:
            for tag in (tag for tag in log if run in log[tag]):
                points = log[tag][run]
                for step, wall_time, value in zip(points.steps, points.wall_times, points.values, strict=True):
                    writer.scalar(tag, value, step, wall_time)


def open_page(page: Page, address: str, smoothing: float, log: made_series.Log) -> Page:
    """The Time Series tab once all charts hold all their data."""
    script = front_end()

    def answer(route: Route) -> None:
        route.fulfill(body=script, content_type="application/javascript")

    page.route("**/index.js*", answer)
    page.goto(f"{address}?smoothing={smoothing}#timeseries")
    points = sum(len(points.steps) for runs in log.values() for points in runs.values())
    page.wait_for_function("points => __heard.points() === points", arg=points)
    for heard in page.evaluate("__heard.readCharts()"):
        check_data(heard, log[heard["tag"]])
    # The mark of a selected step takes the mouse away from the chart below it.
    page.get_by_label("Enable step selection and data table").uncheck()
    return page


def check_data(heard: Json, runs: dict[str, made_series.Points]) -> None:
    """A chart must hold just what was written."""
    for series in heard["series"]:
        points = runs[series["id"].removeprefix(EXPERIMENT)]
        columns = (points.steps, [1e3 * wall for wall in points.wall_times], points.values)
        for name, written in zip(("step", "wallTime", "value"), columns, strict=True):
            shown = [float(point[name]) for point in series["points"]]
            np.testing.assert_array_equal(shown, written, err_msg=f"{series['id']} {heard['tag']} {name}")


def card(page: Page, tag: str) -> Locator:
    """The card of a tag."""
    return page.locator("scalar-card-component").filter(has=page.locator(f'.tag[title="{tag}"]'))


def choose_x_axis(page: Page, x_axis: str) -> None:
    """Set "Horizontal Axis"."""
    page.locator(".x-axis-type mat-select").click()
    page.get_by_role("option", name=x_axis).click()
    page.get_by_role("listbox").wait_for(state="detached")


def read_charts(page: Page, log: made_series.Log, smoothing: float) -> list[Json]:
    """Extent and limits of the y axis of every chart, for both scales, with and without outliers."""
    choose_x_axis(page, "step")
    answers = []
    for scale, name in enumerate(SCALES):
        if name == "log":
            for tag in log:
                card(page, tag).get_by_label("More line chart options").click()
                page.get_by_role("menuitem", name="Toggle Y-axis log scale").click()
                page.get_by_role("menu").wait_for(state="detached")
        for ignored in (True, False):
            page.locator(".scalars-ignore-outliers input").set_checked(ignored)
            page.wait_for_function("now => __heard.drawnAs(...now)", arg=[scale, ignored])
            for heard in sorted(page.evaluate("__heard.readCharts()"), key=itemgetter("tag")):
                asked = {"tag": heard["tag"], "smoothing": smoothing, "scale": name, "ignore_outliers": ignored}
                answers.append({**asked, "extent": heard["extent"], "view_box": heard["view_box"]})
    return answers


def read_tooltips(page: Page, log: made_series.Log, smoothing: float, x_axis: str) -> list[Json]:
    """Tooltips under the mouse, with their text, then those at `made_series.EXACT_X`."""
    choose_x_axis(page, x_axis)
    answers = []
    for tag in log:
        asked = {"tag": tag, "smoothing": smoothing, "x_axis": x_axis}
        box = card(page, tag).locator("line-chart-interactive-view .dots").bounding_box()
        assert box is not None
        for part in AT:
            page.mouse.move(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
            page.locator(".tooltip tr.tooltip-row").first.wait_for()
            rows = [row.locator("td").all_inner_texts() for row in page.locator(".tooltip tr.tooltip-row").all()]
            answers.append({**asked, **read_tooltip(page, tag, x_axis, None, rows)})
        if x_axis == "step":
            answers += [{**asked, **read_tooltip(page, tag, x_axis, x, [])} for x in made_series.EXACT_X.get(tag, ())]
        page.mouse.move(0, 0)
        page.locator(".tooltip").wait_for(state="detached")
    return answers


def read_tooltip(page: Page, tag: str, x_axis: str, x: float | None, texts: list[list[str]]) -> Json:
    """One tooltip, in full precision and in seconds, rows by name; `shown` is a row's text without the time of day."""
    heard = page.evaluate("asked => __heard.readTooltip(...asked)", [tag, x])
    shown = {cells[1].strip(): [cell.strip() for cell in (*cells[2:-2], cells[-1])] for cells in texts}
    rows = []
    for run, point in sorted(heard["rows"], key=itemgetter(0)):
        row = {"run": run, "smoothed": float(point["y"]), "value": float(point["value"]), "step": point["step"]}
        row["relative"] = point["relativeTimeInMs"] / 1000
        rows.append({**row, "shown": shown[run]} if shown else row)
    return {"x": heard["x"] / (1 if x_axis == "step" else 1000), "rows": rows}


def smoothing_answers(page: Page) -> list[Json]:
    """What comes out of TensorBoard's smoothing, for every series and weight."""

    def case(name: str, values: made_series.Floats, weights: tuple[float, ...], every: int = 1) -> Json:
        outs = page.evaluate("asked => __heard.smoothBy(...asked)", [values.tolist(), list(weights)])
        smoothed = [{"weight": weight, "out": out[::every]} for weight, out in zip(weights, outs, strict=True)]
        return {"name": name, "values": values.tolist(), "every": every, "smoothed": smoothed}

    return [
        *(case(name, values, made_series.WEIGHTS) for name, values in made_series.smoothing_cases().items()),
        case("odd weights", made_series.ODD_SERIES, made_series.ODD_WEIGHTS),
        case("close to one", made_series.ODD_SERIES, made_series.CLOSE_TO_ONE),
        *(case(name, values, made_series.WEIGHTS, LONG_EVERY) for name, values in made_series.long_cases().items()),
    ]


def extent_answers(page: Page) -> list[Json]:
    """The extent of the y values of series shown together, for both scales, with and without outliers."""
    cases = []
    for name, series in made_series.extent_cases().items():
        columns, extents = [values.tolist() for values in series], []
        for scale, ignored in ((scale, ignored) for scale in range(len(SCALES)) for ignored in (True, False)):
            out = page.evaluate("asked => __heard.extentOf(...asked)", [columns, scale, ignored])
            extents.append({"scale": SCALES[scale], "ignore_outliers": ignored, "extent": out})
        cases.append({"name": name, "series": columns, "extents": extents})
    return cases


if __name__ == "__main__":
    main()
