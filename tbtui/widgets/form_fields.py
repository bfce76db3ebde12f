"""What a form asks for, apart from how it is drawn. Imports no Textual: forms are put together before one is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from tbtui.frozen import frozen
from tbtui.settings.kinds import MAX_STEP
from tbtui.settings.parsing import NUMBER, X_AXIS_ENTRIES, check_range, optional, read_integer
from tbtui.settings.settings import MAX_CARD_COLUMNS, OUTLIERS, ROW_ORDERS, SCALES, X_AXES
from tbtui.settings.zoom import set_x_range
from tbtui.view.changes import with_x_axis, with_y_scale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.charts.axis import Scale
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


@frozen
class Choice:
    """One of a few values."""

    name: str
    label: str
    options: Sequence[tuple[Any, str]]
    """Each value and the words for it."""

    current: Any
    hint: str = ""


@frozen
class Text:
    """A typed entry."""

    name: str
    label: str
    shown: str
    read: Callable[[str], Any]
    """From what is typed to the value; raises ValueError with the reason for what cannot be used."""

    hint: str = ""


Field: TypeAlias = "Choice | Text"


class FieldError(ValueError):
    """What was entered cannot be applied; the words say why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        """The field that is wrong."""


# Form fields that the tabs of charts share, and how their entries change the choices. Imports no Textual.


Cards_contra = TypeVar("Cards_contra", contravariant=True)

ROW_ORDER_LABELS = ("run tree", "lowest first", "highest first", "nearest first")
"""Labels of `ROW_ORDERS`."""


def plain_options(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return options that are their own labels."""
    return tuple((word, word) for word in words)


def yes_no(name: str, label: str, current: bool, hint: str) -> Choice:
    """Return a field with the options no and yes."""
    return Choice(name, label, ((False, "no"), (True, "yes")), current, hint)


# Fields of all charts; they have the names of the fields of `Settings`


def axes_fields(choices: Settings) -> tuple[Field, ...]:
    """Return the fields of the axes, and of the points that determine them."""
    return (
        Choice(
            "x_axis",
            "x axis",
            plain_options(X_AXES),
            choices.x_axis,
            "step, time since a run's first point, time of day",
        ),
        Choice("x_scale", "x scale", plain_options(SCALES), choices.x_scale, "of steps and relative time"),
        Choice("y_scale", "y scale", plain_options(SCALES), choices.y_scale, "of all charts"),
        Choice(
            "outliers",
            "outliers",
            plain_options(OUTLIERS),
            choices.outliers,
            "auto: values far out may leave the axis only where they would flatten the rest",
        ),
        Text(
            "skip_steps",
            "skip steps below",
            str(choices.skip_steps),
            lambda text: read_integer(text, 0, MAX_STEP),
            "points before this step are not drawn and do not count for the axes",
        ),
    )


def drawing_fields(choices: Settings) -> tuple[Field, ...]:
    """Return the fields of superseded points and of linked zoom."""
    return (
        yes_no("superseded", "superseded", choices.superseded, "draw the points that a restart superseded"),
        yes_no("linked", "zoom together", choices.linked, "zooming one chart zooms all along x"),
    )


def columns_field(choices: Settings) -> Field:
    """Return the field of the number of cards in a row."""
    columns = ((0, "auto"), *((count, str(count)) for count in range(1, MAX_CARD_COLUMNS + 1)))
    return Choice("columns", "cards a row", columns, choices.columns, "auto: as many as stay readable")


def row_order_field(choices: Settings) -> Field:
    """Return the field of the order of table rows."""
    rows = tuple(zip(ROW_ORDERS, ROW_ORDER_LABELS, strict=True))
    hint = "in an opened chart's table, by what the cursor reads"
    return Choice("row_order", "order of rows", rows, choices.row_order, hint)


def with_options(choices: Settings, entered: dict[str, Any]) -> Settings:
    """Return the choices with the entries for all charts; `entered` has at least `x_axis`."""
    fields = dict(entered)
    x_axis, y_scale = fields.pop("x_axis"), fields.pop("y_scale", choices.y_scale)
    if x_axis != choices.x_axis:
        choices = with_x_axis(choices, x_axis)
    if y_scale != choices.y_scale:
        choices = with_y_scale(choices, y_scale)
    return replace(choices, **fields)


# Fields of one chart


def range_fields(choices: Settings, key: str) -> tuple[Field, ...]:
    """Return the fields of the y scale and of the axis ranges of card `key`."""
    own = choices.chart(key)
    x = optional(X_AXIS_ENTRIES[choices.x_axis], "as the data has it")
    y = optional(NUMBER, "as the data has it")
    x_from, x_to = choices.x_range_of(key)
    scales = ((None, f"as all ({choices.y_scale})"), *plain_options(SCALES))
    together = "of all charts, which are zoomed together; " if choices.linked else ""
    return (
        Choice("y_scale", "y scale", scales, own.y_scale, "of this chart"),
        Text("x_from", "x from", x.shown(x_from), x.read, together + x.hint),
        Text("x_to", "x to", x.shown(x_to), x.read, together + x.hint),
        Text("y_from", "y from", y.shown(own.y_range[0]), y.read, y.hint),
        Text("y_to", "y to", y.shown(own.y_range[1]), y.read, y.hint),
    )


def check_ranges(choices: Settings, entered: dict[str, Any]) -> dict[str, Any]:
    """Return the entries for one chart if its ranges can be axes.

    Raises:
        FieldError: A range cannot be an axis.
    """
    x_scale: Scale = "linear" if choices.x_axis == "wall" else choices.x_scale
    _check_ends(entered, "x_from", "x_to", x_scale)
    _check_ends(entered, "y_from", "y_to", entered["y_scale"] or choices.y_scale)
    return entered


def _check_ends(entered: dict[str, Any], low: str, high: str, scale: Scale) -> None:
    try:
        check_range((entered[low], entered[high]), scale)
    except ValueError as error:
        raise FieldError(low, str(error)) from None


def with_ranges(choices: Settings, key: str, entered: dict[str, Any], **own: object) -> Settings:
    """Return the choices with the scale and the ranges that were entered for card `key`.

    Args:
        choices: The present choices.
        key: Key of the card.
        entered: The values of `range_fields`.
        own: Other fields of `ChartChoices`.
    """
    x_range = entered["x_from"], entered["x_to"]
    if x_range != choices.x_range_of(key):
        choices = set_x_range(choices, key, x_range)
    y_range = entered["y_from"], entered["y_to"]
    return replace(choices, charts=choices.with_chart(key, y_range=y_range, y_scale=entered["y_scale"], **own))


# The forms of one dashboard


@frozen(eq=False)
class FileForm:
    """Describes the form that asks for a file and writes data to it."""

    title: str
    """Not yet safe for a terminal."""

    fields: Sequence[Field]
    write: Callable[[dict[str, Any]], Any]
    """Writes the file from what was entered. Runs on another thread."""

    cancel: Callable[[], object]
    """Stops the writing."""

    message: Callable[[Any], str]
    """Describes what `write` returned; not yet safe for a terminal."""


class CardForms(Generic[Cards_contra]):
    """Base class of the forms and pages of a dashboard's cards. By default a chart has a y scale and two ranges."""

    def options_fields(self, view: View) -> Sequence[Field]:
        """Return the fields of all charts."""
        raise NotImplementedError

    def chart_fields(self, choices: Settings, key: str) -> Sequence[Field]:
        """Return the fields of the chart of card `key`, those of `range_fields` among them."""
        return range_fields(choices, key)

    def check_chart(self, choices: Settings, entered: dict[str, Any]) -> dict[str, Any]:
        """Return the entries for one chart if they can be applied.

        Raises:
            FieldError: They cannot be applied.
        """
        return check_ranges(choices, entered)

    def with_chart(self, choices: Settings, key: str, entered: dict[str, Any]) -> Settings:
        """Return the choices with the entries for the chart of card `key`."""
        return with_ranges(choices, key, entered)

    def about(self, view: View, cards: Cards_contra, key: str) -> Sequence[str]:
        """Return the lines of the page about a card; any text. Runs on the background thread."""
        raise NotImplementedError

    def file_form(self, view: View, cards: Cards_contra, key: str) -> FileForm:
        """Return the form that writes the data of card `key` to a file."""
        raise NotImplementedError
