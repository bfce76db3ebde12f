"""The screenshots: the logs that each one shows, and the keys that lead to its screen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sources import CLUSTER_STEPS, cluster, digits, embeddings, models, profile, search, sessions, shapes

from tbtui.plugins.custom_scalars.settings import LAYOUT
from tbtui.settings.kinds import TextFile
from tbtui.settings.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sources import Logs

AS_IT_COMES = Settings()
WIDE, MIDDLE, USUAL = (120, 40), (100, 30), (80, 24)

STEP = re.compile(r"\{.*?\}|\S+")


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    keys: str = ""
    """Names of keys as Textual has them, with `*12` for one pressed twelve times; `{…}` is typed, `@60,20` is a click
    in that column and row."""

    logs: Callable[[], Logs] = digits
    size: tuple[int, int] = WIDE
    theme: str = "tbtui-dark"
    settings: Settings = AS_IT_COMES
    """As options of the command line leave them."""

    printed: tuple[str, ...] = ()
    """No screen at all, but what `tbtui print` draws for these words."""

    def steps(self) -> Iterator[tuple[str, ...] | tuple[int, int]]:
        """Keys that are pressed one after the other, or where the mouse clicks."""
        for word in STEP.findall(self.keys):
            key, _, times = word.partition("*")
            if word.startswith("{"):
                yield tuple(word[1:-1])
            elif word.startswith("@"):
                column, row = word[1:].split(",")
                yield int(column), int(row)
            else:
                yield (key,) * int(times or 1)


def on(tab: str) -> Settings:
    """As it comes, with another tab open."""
    return Settings(tab=tab)


LAYOUT_FILE = TextFile(
    "layout.json",
    """{
    "losses": {
        "train and val": ["Multiline", ["loss/train", "loss/val"]],
        "learning rate and norm": ["Multiline", ["lr", "grad/norm"]]
    },
    "accuracy": {"acc ± its bounds": ["Margin", ["acc/val", "acc/val_lower", "acc/val_upper"]]}
    }""",
)
"""The layout of the picture of Custom."""

TO_LOSS = "right*4"
"""From the first card of the digits to `loss/train`."""

SHOTS = (
    Shot("scalars"),
    Shot("scalars-light", theme="tbtui-light"),
    Shot("chart", f"{TO_LOSS} enter @77,28 d"),
    Shot("stretch", f"{TO_LOSS} enter @60,20 v @90,20"),
    Shot("together", f"{TO_LOSS} S z @50,31"),
    Shot("joined", f"{TO_LOSS} M {{^loss}} enter enter Y", settings=Settings(run_filter="seed1|1e-1")),
    Shot("averaged", "o up*8 backspace {1} enter enter"),
    Shot("log", f"{TO_LOSS} enter Y X", size=MIDDLE),
    Shot("symlog", "G enter Y Y", size=MIDDLE),
    Shot("restart", f"{TO_LOSS} enter down*5 s m u", size=MIDDLE),
    Shot("nan", f"{TO_LOSS} enter down*4 s Y", size=MIDDLE),
    Shot("reference", f"{TO_LOSS} e down*5 {{1 goal}} enter enter", size=MIDDLE),
    Shot("refused", f"{TO_LOSS} e down {{300}} down {{100}} down*3 {{0.2 goal}} enter", size=USUAL),
    Shot("options", "o down*4", size=USUAL),
    Shot("compare", "2 down*2 d right*4 enter", size=(120, 24)),
    Shot("histograms", settings=on("histograms")),
    Shot("histogram", "right enter left*2", settings=on("histograms")),
    Shot("ridges", "m enter left", settings=on("histograms")),
    Shot("layers", "A", settings=on("histograms")),
    Shot("distributions", settings=on("distributions")),
    Shot("distribution", "enter left*2", settings=on("distributions"), size=MIDDLE),
    Shot("images", settings=on("images")),
    Shot("audio", "enter z*5", settings=on("audio"), size=MIDDLE),
    Shot("graph", "down*3", models, settings=on("graphs")),
    Shot("graph-times", "right_square_bracket m T", models, settings=on("graphs")),
    Shot("graph-45x45", "right_square_bracket*2", models, settings=on("graphs"), size=(45, 45)),
    Shot("text", settings=on("text"), size=(100, 24)),
    Shot("difference", "space down d", settings=on("text"), size=(100, 24)),
    Shot("pr-curves", "right enter comma*3 left*3", settings=on("pr_curves"), size=MIDDLE),
    Shot("projector", "b right*4 down*2 enter", embeddings, settings=on("projector")),
    Shot("projector-tsne", "b m", embeddings, settings=on("projector"), size=MIDDLE),
    Shot("projector-table", "b T right*5 enter", embeddings, settings=on("projector"), size=MIDDLE),
    Shot("projector-45x45", "", embeddings, settings=on("projector"), size=(45, 45)),
    Shot("hparams", "b", sessions, settings=on("hparams")),
    Shot("hparams-parallel", "b m m", sessions, settings=on("hparams")),
    Shot("hparams-slices", "b m m m", sessions, settings=on("hparams"), size=MIDDLE),
    Shot("custom", settings=LAYOUT.with_value(on("custom_scalars"), LAYOUT_FILE)),
    Shot("mesh", "b right enter right*6 up*3 z*3", shapes, settings=on("mesh"), size=MIDDLE),
    Shot("profile", "b", profile, settings=on("profile")),
    Shot("profile-timeline", "b m T", profile, settings=on("profile")),
    Shot("profile-flame", "b m K", profile, settings=on("profile"), size=MIDDLE),
    Shot("health", "tab down*3", cluster, settings=Settings(max_steps=CLUSTER_STEPS), size=(120, 30)),
    Shot("colours", "tab down c", size=USUAL),
    Shot("300-runs", "enter t down", search),
    Shot("about", f"{TO_LOSS} i", size=(100, 24)),
    Shot("help", "question_mark"),
    Shot("80x24", size=USUAL),
    Shot("45x45", size=(45, 45)),
    Shot("histograms-45x45", settings=on("histograms"), size=(45, 45)),
    Shot("40x12", size=(40, 12)),
    Shot("paper", printed=("logs/digits", "--tags", "^loss/train$", "--smoothing", "0.6")),
)
