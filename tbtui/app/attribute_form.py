"""Fields of the form that chooses attributes, such as hyperparameters, for colours, averages and columns of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.widgets.form_fields import Text

if TYPE_CHECKING:
    from tbtui.app.attributes import AttributeFinder
    from tbtui.settings.settings import Settings
    from tbtui.widgets.form_fields import Field

MAX_NAMED = 12
"""Names that a hint lists."""


def attribute_fields(settings: Settings, finder: AttributeFinder) -> tuple[Field, ...]:
    """Return the fields; names are checked once the attributes are read."""

    def parse_name(text: str) -> str:
        name = text.strip()
        if name and finder.names and name not in finder.names:
            raise ValueError(f"unknown attribute {name!r}")
        return name

    def parse_names(text: str) -> tuple[str, ...]:
        return tuple(filter(None, (parse_name(part) for part in text.split(","))))

    named = ", ".join(finder.names[:MAX_NAMED])
    rest = f" and {len(finder.names) - MAX_NAMED} more" if len(finder.names) > MAX_NAMED else ""
    hint = f"one of {named}{rest}; empty: off" if named else "name of a hyperparameter or metric; empty: off"
    several_hint = f"names with commas, of {named}{rest}" if named else "names with commas"
    return (
        Text("colour_by", "colour by", settings.colour_by, parse_name, hint, ""),
        Text("group_by", "average by", ", ".join(settings.group_by), parse_names, several_hint, ""),
        Text("run_columns", "columns", ", ".join(settings.run_columns), parse_names, several_hint, ""),
    )


def attribute_changes(entered: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the settings that change."""
    return {name: entered[name] for name in ("colour_by", "group_by", "run_columns")}
