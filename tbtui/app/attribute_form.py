"""The form that colours, averages and lists runs by hyperparameters and other attributes. Imports no Textual."""

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

    def read_one(text: str) -> str:
        name = text.strip()
        if name and finder.names and name not in finder.names:
            raise ValueError(f"no {name!r} here")
        return name

    def read_several(text: str) -> tuple[str, ...]:
        return tuple(filter(None, (read_one(part) for part in text.split(","))))

    named = ", ".join(finder.names[:MAX_NAMED])
    more = f" and {len(finder.names) - MAX_NAMED} more" if len(finder.names) > MAX_NAMED else ""
    hint = f"one of {named}{more}; empty: no" if named else "name of a hyperparameter or metric; empty: no"
    several = f"names with commas, of {named}{more}" if named else "names with commas"
    return (
        Text("colour_by", "colour by", settings.colour_by, read_one, hint, ""),
        Text("group_by", "average by", ", ".join(settings.group_by), read_several, several, ""),
        Text("run_columns", "columns", ", ".join(settings.run_columns), read_several, several, ""),
    )


def attribute_changes(entered: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the settings that change."""
    return {name: entered[name] for name in ("colour_by", "group_by", "run_columns")}
