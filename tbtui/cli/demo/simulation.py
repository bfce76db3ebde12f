"""What the simulated trainings measure: a pure function of recipe and tick, so that every demo tells the same story.

A tick is one turn of the simulation. Nothing here knows a clock or a file.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.cli.demo.layers import LAYERS, gradients, weights
from tbtui.cli.demo.patterns import confusion, waves
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

STEPS_A_TICK = 10
VALIDATION_EVERY = 5
"""Ticks between two validations; the next constants likewise."""

HISTOGRAMS_EVERY = 10
IMAGES_EVERY = 20
NOTES_EVERY = 100

TICKS_TO_NAN = 40
"""How long a loss grows after it has diverged, before it is no number any more."""


@frozen
class Scalar:
    """A number measured under a tag."""

    tag: str
    value: float


@frozen(eq=False)
class Histogram:
    """Values whose distribution is kept: float64[n]."""

    tag: str
    values: npt.NDArray[np.float64]


@frozen(eq=False)
class Image:
    """A picture: uint8[height, width, 3], RGB."""

    tag: str
    pixels: npt.NDArray[np.uint8]


@frozen
class Text:
    """Markdown."""

    tag: str
    markdown: str


Measurement: TypeAlias = Scalar | Histogram | Image | Text


@frozen
class Restart:
    """A training that was killed and taken up again from an earlier checkpoint."""

    killed_at: int
    """Tick of the last measurement before the kill."""

    resumed_at: int
    """Tick at which it runs again; nothing is measured in between."""

    back: int
    """How many ticks the checkpoint was older than the kill: so many are measured twice."""


@frozen
class Recipe:
    """One training: what it is called and how it will go."""

    run: str
    optimizer: str
    learning_rate: float
    seed: int
    speed: float = 1.0
    """How fast the loss falls, compared with the first training."""

    floor: float = 0.05
    """The loss that it cannot get below."""

    begins_at: int = 0
    """Tick of its first step."""

    diverges_at: int | None = None
    """Tick, counted from its own beginning, from which the loss grows until it is NaN."""

    restart: Restart | None = None


RECIPES = (
    Recipe("adam/seed0", "adam", 1e-3, 0),
    Recipe("adam/seed1", "adam", 1e-3, 1, speed=0.85, floor=0.06),
    Recipe("sgd/seed0", "sgd", 1e-1, 2, speed=0.4, floor=0.11),
    Recipe("sgd/seed1", "sgd", 1e-1, 3, speed=0.33, floor=0.12),
    Recipe("sgd_lr1_diverges", "sgd", 1.0, 4, speed=0.7, diverges_at=300),
    Recipe("adam_resumed", "adam", 3e-4, 5, speed=0.6, floor=0.03, restart=Restart(220, 240, 60)),
    Recipe("adam_late", "adam", 3e-3, 6, speed=1.5, floor=0.08, begins_at=420),
)
"""The trainings of the demo: two optimisers by seeds, one that diverges, one resumed, one that begins later."""


def own_tick(recipe: Recipe, tick: int) -> int | None:
    """Where the training of `recipe` is at `tick` of the demo, in ticks of its own; None while it does not run."""
    own = tick - recipe.begins_at
    if own < 0:
        return None
    restart = recipe.restart
    if restart is None or own <= restart.killed_at:
        return own
    return own - restart.resumed_at + restart.killed_at - restart.back if own >= restart.resumed_at else None


def resumes(recipe: Recipe, tick: int) -> bool:
    """Whether the training of `recipe` is taken up again at `tick`, as a new process with a new event file."""
    return recipe.restart is not None and tick - recipe.begins_at == recipe.restart.resumed_at


def measure(recipe: Recipe, own: int) -> Iterator[Measurement]:
    """What the training of `recipe` measures at its own tick `own`, step `own * STEPS_A_TICK`."""
    random = np.random.default_rng((recipe.seed, own))
    loss = _loss(recipe, own)
    yield from _training_scalars(recipe, own, loss, random)
    if own % VALIDATION_EVERY == 0:
        yield from _validation_scalars(own, loss, random)
    if own % HISTOGRAMS_EVERY == 0:
        yield from _histograms(recipe, own, loss, random)
    if own % IMAGES_EVERY == 0:
        yield Image("samples/generated", waves(recipe.seed, own, _blur(loss)))
        yield Image("samples/confusion", confusion(recipe.seed, _accuracy(loss)))
    if own == 0:
        yield Text("config", _config(recipe))
    elif own % NOTES_EVERY == 0:
        yield Text("notes/progress", _note(own, loss))


def _loss(recipe: Recipe, own: int) -> float:
    """The loss without noise: a power law, because it looks alive on every time scale."""
    loss = recipe.floor + 2.3 * math.pow(1 + own * recipe.speed / 12, -0.9)
    over = own - recipe.diverges_at if recipe.diverges_at is not None else 0
    if over > TICKS_TO_NAN:
        return math.nan
    return loss * math.exp(over / 6) if over > 0 else loss


def _training_scalars(recipe: Recipe, own: int, loss: float, random: np.random.Generator) -> Iterator[Scalar]:
    spike = 5.0 if random.random() < 0.002 else 1.0
    yield Scalar("loss/train", loss * random.lognormal(0, 0.07))
    yield Scalar("metrics/accuracy_train", _accuracy(loss * random.lognormal(0, 0.1)))
    yield Scalar("optimizer/grad_norm", spike * (0.2 + loss) * random.lognormal(0, 0.15))
    yield Scalar("optimizer/learning_rate", recipe.learning_rate * _schedule(own))
    yield Scalar("speed/samples_per_second", 1850 + 150 * math.sin(own / 40) + random.normal(0, 25))
    yield Scalar("system/gpu_utilization", min(1.0, random.normal(0.93, 0.03)))


def _validation_scalars(own: int, loss: float, random: np.random.Generator) -> Iterator[Scalar]:
    overfit = loss * (1.1 + 4e-4 * own)
    yield Scalar("loss/val", overfit * random.lognormal(0, 0.05))
    yield Scalar("metrics/accuracy_val", _accuracy(overfit * random.lognormal(0, 0.06)))


def _histograms(recipe: Recipe, own: int, loss: float, random: np.random.Generator) -> Iterator[Histogram]:
    """Weights and gradients; an optimiser takes no step on NaN, so from there on the weights stay what they are."""
    moved = own if recipe.diverges_at is None else min(own, recipe.diverges_at + TICKS_TO_NAN)
    learned = math.log1p(moved * recipe.speed / 50)
    weighed = np.random.default_rng((recipe.seed, moved, len(LAYERS)))
    for layer in LAYERS:
        yield Histogram(f"weights/{layer.name}", weights(layer, learned, weighed))
        yield Histogram(f"gradients/{layer.name}", gradients(layer, loss, random))


def _schedule(own: int) -> float:
    """Warm-up over the first 20 ticks, then halved every 1,500."""
    return min(1.0, (own + 1) / 20) * math.pow(0.5, own / 1500)


def _accuracy(loss: float) -> float:
    return math.exp(-0.45 * loss) if math.isfinite(loss) else 0.1


def _blur(loss: float) -> float:
    return min(1.0, loss / 2.3) if math.isfinite(loss) else 1.0


def _config(recipe: Recipe) -> str:
    rows = {
        "optimizer": recipe.optimizer,
        "learning rate": f"{recipe.learning_rate:g}",
        "seed": str(recipe.seed),
        "batch size": "128",
        "resumed": "yes" if recipe.restart else "no",
    }
    table = "\n".join(f"| {name} | `{value}` |" for name, value in rows.items())
    return f"# {recipe.run}\n\nA simulated training.\n\n| setting | value |\n| --- | --- |\n{table}\n"


def _note(own: int, loss: float) -> str:
    if not math.isfinite(loss):
        return f"**Step {own * STEPS_A_TICK}**: the loss is not a number any more. The learning rate is too high."
    return f"**Step {own * STEPS_A_TICK}**: training loss {loss:.4f}.\n\n* checkpoint written\n* validation goes on\n"
