"""Declaration of a setting: the settings file, forms, keys, help and the command line read it from here.

A setting of the whole app is a field of `Settings`; `setting` makes the field. A setting of one dashboard is a
`Setting` in the folder of that dashboard, listed in `Plugin.settings`; its value is in `Settings.plugin_settings`.
"""

from __future__ import annotations

from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast

from tbtui.frozen import frozen
from tbtui.settings.kinds import Flag, OneOf, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tbtui.settings.kinds import Kind
    from tbtui.settings.settings import Settings

Value = TypeVar("Value")

ReportCommand: TypeAlias = Literal["print", "export"]

_DECLARED = "declaration"


@frozen
class Option:
    """Option of the command line that sets a setting for one session. Its name is that of the setting."""

    help: str
    metavar: str = ""
    """Name of the value in the help; empty: the values are listed."""

    commands: tuple[ReportCommand, ...] = ()
    """Commands that have the option, besides the dashboards of `tbtui` itself."""

    selects_runs: bool = False
    """An option of every command with `--runs`, whose terms may name what it gives; `commands` then has both."""


@frozen(eq=False)
class Setting(Generic[Value]):
    """A setting, declared once."""

    name: str
    """Name in the settings file, of its form field and of its option; unique among all settings.

    New names have the name of the dashboard in front: `levels.marker`.
    """

    label: str = ""
    """Label of its form field, and the help of its key."""

    key: str = ""
    """Key that selects the next value; empty: the dashboard has a key of its own for it, or none.

    One that neither the app nor the cards of the dashboard use, and that has the `meaning` in every tab.
    """

    values: tuple[Value, ...] = ()
    """All values in the order of the key, `(False, True)` for a flag; empty: others than a few."""

    default: Value | None = None
    """None: the first of `values`, or None itself if there are none."""

    kind: Kind | None = None
    """None: one of `values`, or a value that is not kept."""

    value_labels: tuple[str, ...] = ()
    """Labels of `values` in forms and help; empty: the values, or words for yes and no."""

    hint: str = ""
    """Explanation in a form."""

    option: Option | None = None
    is_kept: bool = True
    """Kept between sessions."""

    action: str = ""
    """Action of the pane that changes it with a key; empty: the key only selects the next value."""

    has_x_units: bool = False
    """Measured on the present x axis; reset if the axis changes."""

    is_field: bool = False
    """A field of `Settings`."""

    def __repr__(self) -> str:
        return f"<Setting {self.name}>"

    @property
    def initial(self) -> Value:
        """Return the initial value: the one before the user changes it."""
        return self.values[0] if self.default is None and self.values else cast("Value", self.default)

    def value(self, settings: Settings) -> Value:
        """Return the current value."""
        if self.is_field:
            return cast("Value", getattr(settings, self.name))
        chosen = settings.plugin_settings
        return cast("Value", chosen[self]) if self in chosen else self.initial

    def with_value(self, settings: Settings, value: Value) -> Settings:
        """Return the settings with another value."""
        if self.is_field:
            changes: dict[str, Any] = {self.name: value}
            return replace(settings, **changes)
        chosen = {
            each: value_of_setting for each, value_of_setting in settings.plugin_settings.items() if each is not self
        }
        if value != self.initial:
            chosen[self] = value
        return replace(settings, plugin_settings=chosen)

    def next(self, settings: Settings) -> Settings:
        """Return the settings with the next of `values`, in a cycle."""
        value = self.values[(self.values.index(self.value(settings)) + 1) % len(self.values)]
        return self.with_value(settings, value)

    def read(self, document: object) -> Value:
        """Return the value of a JSON value.

        Raises:
            ValueError: The JSON value is not of this kind.
        """
        kind = self.kind or (Flag() if isinstance(self.initial, bool) else OneOf(cast("tuple[str, ...]", self.values)))
        return cast("Value", kind.read(document))

    @property
    def labels(self) -> dict[Any, str]:
        """Return the labels of `values` in a form."""
        words = ("no", "yes") if isinstance(self.initial, bool) else map(str, self.values)
        return dict(zip(self.values, self.value_labels or words, strict=True))

    def value_text(self, settings: Settings) -> str:
        """Return the current value as the help shows it next to a key."""
        value: Any = self.value(settings)
        if isinstance(value, bool):
            return (self.value_labels or ("off", "on"))[value]
        return f"{value:g}" if isinstance(value, float) else str(value)


def setting(
    default: Value,
    kind: Kind | None = None,
    *,
    label: str = "",
    value_labels: tuple[str, ...] = (),
    hint: str = "",
    option: Option | None = None,
    is_kept: bool = True,
) -> Value:
    """Return a field of a dataclass with the declaration of a setting; the arguments are those of `Setting`."""
    values: tuple[Any, ...] = (
        kind.values if isinstance(kind, OneOf) else (False, True) if isinstance(kind, Flag) else ()
    )
    declared = Setting(
        "",
        label,
        values=values,
        default=default,
        kind=kind,
        value_labels=value_labels,
        hint=hint,
        option=option,
        is_kept=is_kept,
        is_field=True,
    )
    metadata = {_DECLARED: declared}
    if type(default).__hash__ is None:  # a dataclass takes no mapping as a default
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata)


def collect_settings(record: type[Any]) -> dict[str, Setting[Any]]:
    """Return the declared settings of a dataclass by field name, in the order of the fields."""
    return {field.name: replace(field.metadata[_DECLARED], name=field.name) for field in fields(record)}


def record_of(record_type: type[Any], *, refuses_default: bool = False) -> Record:
    """Return the kind of a dataclass whose fields are declared with `setting`."""
    kinds = {
        name: declared.kind for name, declared in collect_settings(record_type).items() if declared.kind is not None
    }
    return Record(record_type, kinds, refuses_default=refuses_default)


def apply_entries(settings: Settings, entered: Mapping[str, Any], declared: Iterable[Setting[Any]] = ()) -> Settings:
    """Return the settings with values by name: fields of `Settings`, and the settings of a dashboard."""
    by_name = {each.name: each for each in declared}
    settings = replace(settings, **{name: value for name, value in entered.items() if name not in by_name})
    for name in by_name.keys() & entered.keys():
        settings = by_name[name].with_value(settings, entered[name])
    return settings
