"""Forms of the projector: parameters of layouts, custom axes, columns; and rows of lists of embeddings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import step
from tbtui.charts.styled_text import Row
from tbtui.charts.text import safe, visible_name
from tbtui.maths.layouts import MIN_DISTANCES
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.layouts import (
    KINDS,
    MAX_NEIGHBOURS,
    MAX_PERPLEXITY,
    MIN_NEIGHBOURS,
    MIN_PERPLEXITY,
    NAMES,
    AxisQuery,
    LayoutChoice,
    matches,
)
from tbtui.plugins.projector.session import MapSession, with_layout
from tbtui.widgets.form_fields import Choice, FieldError, Text, grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.sources import EmbeddingSource
    from tbtui.widgets.form_fields import Field

MAX_ITERATIONS = 100_000
MAX_SEED = (1 << 31) - 1


def _integer(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ValueError("a whole number") from None
        if not low <= number <= high:
            raise ValueError(f"from {low:,} to {high:,}")
        return number

    return read


SPHEREISE_HINT = (
    "move points to a mean of zero and length 1 first; lists of neighbours stay those of the original vectors"
)
DISTANCE_HINT = "UMAP-like: how near points may lie"


def _number(name: str, choice: LayoutChoice, default: LayoutChoice, limits: tuple[int, int], hint: str) -> Text:
    """Return the field of a whole number."""
    shown, default_text = (str(getattr(parameters, name)) for parameters in (choice, default))
    return Text(name, name, shown, _integer(*limits), hint, default_text)


def layout_fields(choice: LayoutChoice) -> tuple[Field, ...]:
    """Return the fields of all parameters of layouts."""
    default = LayoutChoice()
    metrics = (("euclidean", "Euclidean"), ("cosine", "cosine"))
    distances = tuple((distance, f"{distance:g}") for distance in MIN_DISTANCES)
    kinds = tuple((kind, NAMES[kind]) for kind in KINDS)
    no_or_yes = ((False, "no"), (True, "yes"))
    return (
        *grouped(
            "Layout",
            Choice("kind", "layout", kinds, choice.kind, "how points are placed", default.kind),
            Choice("dimensions", "dimensions", ((2, "2"), (3, "3")), choice.dimensions, "", default.dimensions),
            Choice(
                "is_sphereised", "sphereise", no_or_yes, choice.is_sphereised, SPHEREISE_HINT, default.is_sphereised
            ),
            Choice("metric", "distance", metrics, choice.metric, "of t-SNE and the UMAP-like layout", default.metric),
            _number("seed", choice, default, (0, MAX_SEED), "equal seeds give equal pictures"),
        ),
        *grouped(
            "t-SNE",
            _number("perplexity", choice, default, (MIN_PERPLEXITY, MAX_PERPLEXITY), "of t-SNE"),
            _number("iterations", choice, default, (1, MAX_ITERATIONS), "of t-SNE"),
        ),
        *grouped(
            "UMAP-like",
            _number("neighbours", choice, default, (MIN_NEIGHBOURS, MAX_NEIGHBOURS), "UMAP-like"),
            Choice("min_distance", "min distance", distances, choice.min_distance, DISTANCE_HINT, default.min_distance),
            _number("epochs", choice, default, (1, MAX_ITERATIONS), "of the UMAP-like layout"),
        ),
    )


def with_parameters(session: MapSession, entered: dict[str, Any]) -> MapSession:
    """Return the session with the entries of `layout_fields`."""
    return with_layout(session, replace(session.layout, **entered))


def axes_fields(points: Points, session: MapSession) -> tuple[Field, ...]:
    """Return the fields of custom axes."""
    query = session.layout.axes
    columns = ((None, "labels"), *((column.name, safe(column.name)) for column in points.metadata.columns))
    hint = "a regular expression; the axis leads from the mean of its matches"
    return (
        Text("left", "left", query.left, str, f"{hint} …", ""),
        Text("right", "right", query.right, str, "… to the mean of these", ""),
        Text("down", "down", query.down, str, "empty: what varies most beside the other axis", ""),
        Text("up", "up", query.up, str, "… upwards to the mean of these", ""),
        Choice("column", "column", columns, query.column, "column that is searched", None),
    )


def axes_reader(points: Points, session: MapSession) -> Callable[[dict[str, Any]], MapSession]:
    """Return the function that checks the entries and returns the session."""

    def read_axes(entered: dict[str, Any]) -> MapSession:
        if not any(entered[name] for name in ("left", "right", "down", "up")):
            raise FieldError("left", "which labels?")
        for name, other in (("left", "right"), ("right", "left"), ("down", "up"), ("up", "down")):
            if entered[other] and not entered[name]:
                raise FieldError(name, "an axis needs both ends")
            if not entered[name]:
                continue
            try:
                is_match = matches(points, entered[name], entered["column"])
            except ValueError as error:
                raise FieldError(name, str(error)) from None
            if not bool((is_match & points.finite).any()):
                raise FieldError(name, "nothing matches")
        layout = replace(session.layout, kind="axes", axes=AxisQuery(**entered))
        return with_layout(session, layout)

    return read_axes


def columns_fields(points: Points, session: MapSession, colour_names: Sequence[str]) -> tuple[Field, ...]:
    """Return the fields of the columns for colours, labels and the search."""
    names = tuple((column.name, safe(column.name)) for column in points.metadata.columns)
    colours = ((None, "none"), *((name, safe(name)) for name in colour_names))
    return (
        Choice("colour", "colour", colours, session.colour, "column by which points are coloured", None),
        Choice("label", "label", ((None, "auto"), *names), session.label, "column of the labels", None),
        Choice(
            "search_column", "search", ((None, "labels"), *names), session.search_column, "column that / searches", None
        ),
    )


def source_rows(sources: Sequence[EmbeddingSource], inks: dict[str, int]) -> list[Row]:
    """Return a row for each embedding."""
    rows = []
    for number, (source, text) in enumerate(zip(sources, strings.source_texts(sources), strict=True)):
        ink = inks.get(source.run, 0)
        label = f"{visible_name(source.run)}  {safe(source.embedding.title)}"
        marker = ((f" {palette.marker(ink)} ", ink),)
        rows.append(Row(str(number), marker, label, right=((f"{text} ", Ink.DIM),)))
    return rows


def version_rows(
    sources: Sequence[EmbeddingSource], shown: tuple[EmbeddingSource, int], inks: dict[str, int]
) -> tuple[list[Row], list[tuple[EmbeddingSource, int]]]:
    """Return a row for each version that the shown one can be compared with, and these versions.

    The other steps come first, then embeddings of the same name in other runs, then all others.
    """
    source, version = shown
    choices = [(source, index) for index in range(len(source.embedding.versions)) if index != version]
    others = [other for other in sources if other.key != source.key]
    others.sort(key=lambda other: other.embedding.name != source.embedding.name)
    shown_step = source.embedding.versions[version].step
    choices += [(other, other.version_at(shown_step)) for other in others]
    rows = []
    for number, (other, index) in enumerate(choices):
        ink = inks.get(other.run, 0)
        other_step = other.embedding.versions[index].step
        step_text = "" if other_step is None else f"step {step(other_step)} "
        label = f"{visible_name(other.run)}  {safe(other.embedding.title)}"
        rows.append(Row(str(number), ((f" {palette.marker(ink)} ", ink),), label, right=((step_text, Ink.DIM),)))
    return rows, choices
