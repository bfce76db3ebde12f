"""Declaration of a setting: the settings file, forms, keys, help and the command line read it from here.

A setting of the app, or one that the code knows by name, is a field of `Settings`; `setting` makes the field. A setting
of one dashboard alone may be declared in its folder instead: it stands in `Plugin.settings`, and its values are kept in
`Settings.plugin_settings`.
"""

from __future__ import annotations

from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tbtui.frozen import frozen
from tbtui.settings.kinds import Flag, OneOf, Record

if TYPE_CHECKING:
    from tbtui.settings.kinds import Kind
    from tbtui.settings.settings import Settings

Value = TypeVar("Value")

_DECLARED = "declaration"


@frozen
class Option:
    """Option of the command line that sets a setting for one session. Its name is that of the setting."""

    help: str
    metavar: str = ""
    """Name of the value in the help; empty: the values are listed."""


@frozen
class Setting:
    """A setting, declared once."""

    name: str
    """Field of `Settings`, or a name that is unique among all dashboards: `toy.marker`."""

    label: str = ""
    """Label of its form field, and the help of its key."""

    key: str = ""
    """Key that selects the next value; empty: the dashboard has a key of its own for it, or none."""

    values: tuple[Any, ...] = ()
    """All values in the order of the key, the first of them the default of a dashboard's own setting; empty: others
    than a few."""

    kind: Kind | None = None
    """None: one of `values`, or a value that is not kept."""

    value_labels: tuple[str, ...] = ()
    """Labels of `values` in a form; empty: the values."""

    hint: str = ""
    """Explanation in a form."""

    option: Option | None = None
    is_kept: bool = True
    """Kept between sessions."""

    def value(self, settings: Settings) -> Any:
        """Return the present value; the default if none was chosen, or one that no longer exists."""
        if self.is_field:
            return getattr(settings, self.name)
        chosen = settings.plugin_settings.get(self.name)
        return chosen if chosen in self.values else self.values[0]

    def next(self, settings: Settings) -> Settings:
        """Return the settings with the next of `values`; after the last comes the first."""
        value = self.values[(self.values.index(self.value(settings)) + 1) % len(self.values)]
        if self.is_field:
            return replace(settings, **{self.name: value})
        return replace(settings, plugin_settings={**settings.plugin_settings, self.name: value})

    @property
    def labels(self) -> dict[Any, str]:
        """Return the labels of `values` in a form."""
        return dict(zip(self.values, self.value_labels or map(str, self.values), strict=True))

    @property
    def is_field(self) -> bool:
        """Return True if it is a field of `Settings`."""
        return "." not in self.name


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
    values: tuple[Any, ...] = kind.values if isinstance(kind, OneOf) else ()
    if isinstance(kind, Flag):
        values, value_labels = (False, True), value_labels or ("no", "yes")
    declared = Setting("", label, "", values, kind, value_labels, hint, option, is_kept)
    metadata = {_DECLARED: declared}
    if type(default).__hash__ is None:  # a dataclass takes no mapping as a default
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata)


def declared_settings(record: type[Any]) -> dict[str, Setting]:
    """Return the declared settings of a dataclass by field name, in the order of the fields."""
    return {field.name: replace(field.metadata[_DECLARED], name=field.name) for field in fields(record)}


def record_of(record_type: type[Any], *, refuses_default: bool = False) -> Record:
    """Return the kind of a dataclass whose fields are declared by `setting`."""
    kinds = {
        name: declared.kind for name, declared in declared_settings(record_type).items() if declared.kind is not None
    }
    return Record(record_type, kinds, refuses_default=refuses_default)
