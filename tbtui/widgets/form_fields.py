"""Fields of forms, and how their entries change the settings. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from tbtui.frozen import frozen
from tbtui.settings.chart_navigation import set_x_range
from tbtui.settings.declaration import apply_entries
from tbtui.settings.entries import (
    NUMBER,
    X_AXIS_ENTRIES,
    check_range,
    format_exact_number,
    make_optional,
    read_integer,
    read_number_between,
)
from tbtui.settings.kinds import Integer, Number, OrNone
from tbtui.settings.settings import MAX_CARD_COLUMNS, SCALES, SETTINGS
from tbtui.view.changes import with_x_axis, with_y_scale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.maths.domain import Scale
    from tbtui.settings.declaration import Setting
    from tbtui.settings.kinds import Kind
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


NO_DEFAULT: Any = object()
"""The default of a field that is no setting: whatever it holds is not marked as changed."""


@frozen
class Choice:
    """One of a few values."""

    name: str
    label: str
    options: Sequence[tuple[Any, str]]
    """Each value and its label."""

    current: Any
    hint: str = ""
    default: Any = NO_DEFAULT
    group: str = ""
    """Heading above the field and its neighbours of the same group; empty: none."""


@frozen
class Text:
    """A typed entry."""

    name: str
    label: str
    shown: str
    read: Callable[[str], Any]
    """Parses the typed text; raises ValueError with the reason if it cannot be used."""

    hint: str = ""
    default: Any = NO_DEFAULT
    """The text of the default."""

    group: str = ""
    """Heading above the field and its neighbours of the same group; empty: none."""


Field: TypeAlias = "Choice | Text"


def group_fields(title: str, *fields: Field) -> tuple[Field, ...]:
    """Return fields that stand below one heading."""
    return tuple(replace(each, group=title) for each in fields)


class FieldError(ValueError):
    """An entry cannot be applied; the text is the reason."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        """Name of the field."""


Cards_contra = TypeVar("Cards_contra", contravariant=True)


def label_options(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return options that are their own labels."""
    return tuple((word, word) for word in words)


def create_switch_field(name: str, label: str, current: bool, hint: str, *, default: Any = NO_DEFAULT) -> Choice:
    """Return a field with the options no and yes."""
    return Choice(name, label, ((False, "no"), (True, "yes")), current, hint, default)


# Fields of settings; they have the names of the fields of `Settings`


def create_setting_field(
    settings: Settings,
    name: str | Setting[Any],
    *,
    label: str = "",
    hint: str = "",
    read: Callable[[str], Any] | None = None,
) -> Field:
    """Return the field of a declared setting.

    Args:
        settings: The present settings.
        name: Name of a field of `Settings`, or the setting of a dashboard.
        label: Replaces the declared label.
        hint: Replaces the declared hint.
        read: Replaces the reader of a typed entry; a text without one is taken as it is.
    """
    declared = SETTINGS[name] if isinstance(name, str) else name
    name, current = declared.name, declared.value(settings)
    label, hint = label or declared.label, hint or declared.hint
    if declared.values:
        return Choice(name, label, tuple(declared.labels.items()), current, hint, declared.initial)
    kind = declared.kind
    reader = read or (lambda text: _read_entry(text, kind))
    return Text(name, label, _format_entry(current), reader, hint, _format_entry(declared.initial))


def _format_entry(value: Any) -> str:
    """Return a value as it is typed."""
    return "" if value is None else format_exact_number(value) if isinstance(value, float) else str(value)


def _read_entry(text: str, kind: Kind | None) -> Any:
    if isinstance(kind, OrNone):
        return _read_entry(text, kind.kind) if text.strip() else None
    if isinstance(kind, Integer):
        return read_integer(text, kind.min, kind.max)
    if isinstance(kind, Number):
        return read_number_between(text, kind.min, kind.max)
    return text


def create_setting_fields(settings: Settings, *names: str | Setting[Any]) -> tuple[Field, ...]:
    """Return the fields of declared settings."""
    return tuple(create_setting_field(settings, name) for name in names)


def create_axes_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of the axes, and of the points that determine them."""
    names = ("x_axis", "x_tag", "x_scale", "y_scale", "outliers", "linked")
    return group_fields("Axes", *create_setting_fields(settings, *names))


def create_points_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of the points that are drawn."""
    return group_fields("Points", *create_setting_fields(settings, "skip_steps", "superseded"))


def create_columns_field(settings: Settings) -> Field:
    """Return the field of the number of cards in a row."""
    declared = SETTINGS["columns"]
    columns = ((0, "auto"), *((count, str(count)) for count in range(1, MAX_CARD_COLUMNS + 1)))
    return Choice("columns", declared.label, columns, settings.columns, declared.hint, declared.initial)


def create_grid_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all grids: cards in a row, and the glyphs of the terminal's font."""
    return create_columns_field(settings), create_setting_field(settings, "glyphs")


def create_row_order_field(settings: Settings) -> Field:
    """Return the field of the order of table rows."""
    return create_setting_field(settings, "row_order")


def apply_options(settings: Settings, entered: dict[str, Any], own: Iterable[Setting[Any]] = ()) -> Settings:
    """Return the settings with the entries for all charts.

    Args:
        settings: The present settings.
        entered: The entries by name.
        own: Settings of the dashboard that may be among them.
    """
    fields = dict(entered)
    x_axis, y_scale = fields.pop("x_axis", settings.x_axis), fields.pop("y_scale", settings.y_scale)
    if x_axis != settings.x_axis:
        settings = with_x_axis(settings, x_axis)
    x_tag = fields.pop("x_tag", settings.x_tag)
    if x_tag != settings.x_tag and x_axis == "tag":
        settings = with_x_axis(settings, "tag")  # its units are others now
    settings = replace(settings, x_tag=x_tag)
    if y_scale != settings.y_scale:
        settings = with_y_scale(settings, y_scale)
    return apply_entries(settings, fields, own)


# Fields of one chart


AUTOMATIC = "automatic, from the data"
"""Meaning of an empty end of an axis."""


def create_range_fields(settings: Settings, key: str) -> tuple[Field, ...]:
    """Return the fields of the y scale and of the axis ranges of card `key`."""
    own = settings.chart(key)
    x, y = make_optional(X_AXIS_ENTRIES[settings.x_axis], AUTOMATIC), make_optional(NUMBER, AUTOMATIC)
    x_from, x_to = settings.get_x_range(key)
    scales = ((None, f"same as all charts ({settings.y_scale})"), *label_options(SCALES))
    together = "of all charts, which are zoomed together; " if settings.linked else ""
    return (
        Choice("y_scale", "y scale", scales, own.y_scale, "scale of the y axis of this chart alone", None),
        Text("x_from", "x from", x.format(x_from), x.read, together + x.hint, ""),
        Text("x_to", "x to", x.format(x_to), x.read, together + x.hint, ""),
        Text("y_from", "y from", y.format(own.y_range[0]), y.read, y.hint, ""),
        Text("y_to", "y to", y.format(own.y_range[1]), y.read, y.hint, ""),
    )


def check_ranges(settings: Settings, entered: dict[str, Any]) -> dict[str, Any]:
    """Return the entries for one chart if its ranges are valid for axes.

    Raises:
        FieldError: A range cannot be an axis.
    """
    x_scale: Scale = "linear" if settings.x_axis == "wall" else settings.x_scale
    _check_ends(entered, "x_from", "x_to", x_scale)
    _check_ends(entered, "y_from", "y_to", entered["y_scale"] or settings.y_scale)
    return entered


def _check_ends(entered: dict[str, Any], low: str, high: str, scale: Scale) -> None:
    try:
        check_range((entered[low], entered[high]), scale)
    except ValueError as error:
        raise FieldError(low, str(error)) from None


def apply_ranges(settings: Settings, key: str, entered: dict[str, Any], **own: object) -> Settings:
    """Return the settings with the scale and the ranges that were entered for card `key`.

    Args:
        settings: The present settings.
        key: Key of the card.
        entered: The values of `create_range_fields`.
        own: Other fields of `ChartSettings`.
    """
    x_range = entered["x_from"], entered["x_to"]
    if x_range != settings.get_x_range(key):
        settings = set_x_range(settings, key, x_range)
    y_range = entered["y_from"], entered["y_to"]
    return replace(settings, charts=settings.with_chart(key, y_range=y_range, y_scale=entered["y_scale"], **own))


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
        return create_axes_fields(view.settings)

    def chart_fields(self, settings: Settings, key: str) -> Sequence[Field]:
        """Return the fields of the chart of card `key`, those of `create_range_fields` among them."""
        return create_range_fields(settings, key)

    def check_chart(self, settings: Settings, entered: dict[str, Any]) -> dict[str, Any]:
        """Return the entries for one chart if they can be applied.

        Raises:
            FieldError: They cannot be applied.
        """
        return check_ranges(settings, entered)

    def with_chart(self, settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
        """Return the settings with the entries for the chart of card `key`."""
        return apply_ranges(settings, key, entered)

    def about_lines(self, view: View, cards: Cards_contra, key: str) -> Sequence[str]:  # noqa: ARG002
        """Return the lines of the page about a card; any text. Runs on the worker thread."""
        return ("there are no details of this chart",)

    def file_form(self, view: View, cards: Cards_contra, key: str) -> FileForm | None:  # noqa: ARG002
        """Return the form that writes the data of card `key` to a file; None if the dashboard has none."""
        return None
