"""The form of the Images tab: what is chosen as fields. Imports no Textual."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.images.words import COMPARISONS
from tbtui.viewstate.entries import read_whole
from tbtui.viewstate.options import IMAGES, MOST_BRIGHTNESS, MOST_CONTRAST, X_AXES
from tbtui.viewstate.saved_fields import MOST_STEPS
from tbtui.widgets.chart_forms import columns_field, plain, yes_no
from tbtui.widgets.form_fields import Choice, Text

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.form_fields import Field


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Everything that can be set for all pictures; the fields have the names of those of `Choices`."""
    return (
        Choice("images", "drawn as", plain(IMAGES), choices.images, "auto: in pixels where the terminal can"),
        _part("image_brightness", "brightness", choices.image_brightness, MOST_BRIGHTNESS),
        _part("image_contrast", "contrast", choices.image_contrast, MOST_CONTRAST),
        Choice(
            "image_comparison",
            "compare",
            tuple(COMPARISONS.items()),
            choices.image_comparison,
            "an opened picture with the marked step, else the baseline, the selected or the next run",
        ),
        Choice("x_axis", "x axis", plain(X_AXES), choices.x_axis, "what the cursor of all tabs stands on"),
        Text(
            "skip_steps",
            "skip steps below",
            str(choices.skip_steps),
            lambda text: read_whole(text, 0, MOST_STEPS),
            "pictures before this step are not shown",
        ),
        yes_no("superseded", "superseded", choices.superseded, "show the pictures that a restart superseded"),
        yes_no("overview", "overview", choices.overview, "small cards, in the order they were written in"),
        columns_field(choices),
    )


def _part(name: str, label: str, current: float, most: float) -> Text:
    return Text(name, label, f"{current:g}", partial(read_part, most=most), f"0 to {most:g}; 1 is as stored")


def read_part(text: str, most: float) -> float:
    """A number from 0 to `most`; raises ValueError with the reason for what is none."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"not a number: {text}") from None
    if not 0 <= value <= most:
        raise ValueError(f"not between 0 and {most:g}")
    return value
