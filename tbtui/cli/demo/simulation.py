"""Measurements of the simulated trainings, a pure function of recipe and tick: every demo shows the same data.

A tick is one turn of the simulation. This module uses neither clocks nor files.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

VALUES = 400
"""Weights of a layer."""

DEAD = 1e-9
"""Spread of the gradients of a layer behind which every rectifier has shut."""


@frozen
class Layer:
    """One layer of the network."""

    name: str
    flow: float
    """Share of the gradient that reaches it from the output."""

    dies: bool
    """True if its gradient is zero after the training has diverged; otherwise it is NaN."""

    shape: Callable[[Floats, Floats, float], Floats]
    """Weights from normal and uniform noise and how much the layer has learned, 0 at first."""


def weights(layer: Layer, learned: float, random: np.random.Generator) -> Floats:
    """Weights, float64[VALUES].

    Args:
        layer: Of which layer.
        learned: Distance from their initial values: 0 at first, grows slowly.
        random: The same for the same weights.
    """
    return layer.shape(random.standard_normal(VALUES), random.random(VALUES), learned)


def gradients(layer: Layer, loss: float, random: np.random.Generator) -> Floats:
    """Gradients, float64[VALUES]; as large as the loss."""
    if math.isfinite(loss):
        return random.laplace(0, layer.flow * (1e-3 + 0.05 * loss), VALUES)
    return random.normal(0, DEAD, VALUES) if layer.dies else np.full(VALUES, np.nan)


def _split_cluster(noise: Floats, uniform: Floats, learned: float) -> Floats:
    """Move the values from one cluster into two."""
    return 0.3 * noise + 0.35 * learned * np.where(uniform < 0.5, -1, 1)


def _shrink_most(noise: Floats, uniform: Floats, learned: float) -> Floats:
    """Shrink most of the values, and let some grow."""
    return np.asarray(0.4 * noise * np.exp(learned * (uniform**3 - 0.7)))


def _widen(noise: Floats, _uniform: Floats, learned: float) -> Floats:
    return (0.3 + 0.2 * learned) * noise


def _drift(noise: Floats, uniform: Floats, learned: float) -> Floats:
    """Move all values, some further than others."""
    return 0.25 * noise - 0.5 * learned * uniform**2


LAYERS = (
    Layer("stem", 0.3, dies=True, shape=_split_cluster),
    Layer("block1", 0.5, dies=True, shape=_shrink_most),
    Layer("block2", 0.7, dies=False, shape=_widen),
    Layer("head", 1.0, dies=False, shape=_drift),
)
"""From the input to the output."""


# Pictures that a simulated training would log: they get clearer as it learns.


SIDE = 64
"""Width and height of a generated sample, in pixels."""

CLASSES = 8
CELL = 10
"""Width and height of one field of the confusion matrix, in pixels."""


def draw_waves(seed: int, tick: int, blur: float) -> npt.NDArray[np.uint8]:
    """Return an image of slowly rotating interfering waves with noise.

    Args:
        seed: Decides colours and directions.
        tick: Decides the phase and the noise.
        blur: From 0, clear, to 1, noise alone.

    Returns:
        uint8[64, 64, 3], RGB.
    """
    random = np.random.default_rng((seed, tick, SIDE))
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * 2 * np.pi
    angles = np.random.default_rng(seed).uniform(0, np.pi, 3) + tick / 400
    phases = np.cos(angles)[:, None, None] * x * 2 + np.sin(angles)[:, None, None] * y * 2
    clear = np.moveaxis(np.sin(phases + np.arange(3)[:, None, None]), 0, -1)
    mixed = (1 - blur) * clear + blur * random.normal(0, 0.7, clear.shape)
    return np.asarray(np.clip((mixed + 1) * 127.5, 0, 255), np.uint8)


def draw_confusion_matrix(seed: int, accuracy: float) -> npt.NDArray[np.uint8]:
    """Return a confusion matrix whose diagonal brightens with the accuracy.

    Args:
        seed: Decides which classes are mixed up.
        accuracy: From 0 to 1.

    Returns:
        uint8[80, 80, 3], RGB.
    """
    wrong = np.random.default_rng(seed).random((CLASSES, CLASSES)) ** 3
    share = accuracy * np.eye(CLASSES) + (1 - accuracy) * wrong
    levels = np.kron(np.clip(share, 0, 1), np.ones((CELL, CELL)))
    tint = np.array([90, 200, 250])
    return np.asarray(levels[:, :, None] * tint, np.uint8)


STEPS_PER_TICK = 10
VALIDATION_EVERY = 5
"""Ticks between two validations; the next constants have the same unit."""

HISTOGRAMS_EVERY = 10
IMAGES_EVERY = 20
NOTES_EVERY = 100

TICKS_TO_NAN = 40
"""Number of ticks from the divergence of a loss to its first NaN."""


@frozen
class Scalar:
    """A number measured under a tag."""

    tag: str
    value: float


@frozen(eq=False)
class Histogram:
    """Values that are logged as a histogram: float64[n]."""

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
    """A training that was killed and resumed from an earlier checkpoint."""

    killed_at: int
    """Tick of the last measurement before the kill."""

    resumed_at: int
    """Tick at which it runs again; nothing is measured in between."""

    back: int
    """Number of ticks between the checkpoint and the kill; they are measured twice."""


@frozen
class Recipe:
    """Name and parameters of one simulated training."""

    run: str
    optimizer: str
    learning_rate: float
    seed: int
    speed: float = 1.0
    """Speed at which the loss falls, relative to the first training."""

    floor: float = 0.05
    """Lower bound of the loss."""

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
    """Return the tick of a training at `tick` of the demo; None while the training does not run."""
    own = tick - recipe.begins_at
    if own < 0:
        return None
    restart = recipe.restart
    if restart is None or own <= restart.killed_at:
        return own
    return own - restart.resumed_at + restart.killed_at - restart.back if own >= restart.resumed_at else None


def is_resumed_at(recipe: Recipe, tick: int) -> bool:
    """Return True if a training resumes at `tick`, as a new process with a new event file."""
    return recipe.restart is not None and tick - recipe.begins_at == recipe.restart.resumed_at


def measure(recipe: Recipe, own: int) -> Iterator[Measurement]:
    """Yield the measurements of a training at its own tick `own`, step `own * STEPS_PER_TICK`."""
    random = np.random.default_rng((recipe.seed, own))
    loss = _compute_loss(recipe, own)
    yield from _training_scalars(recipe, own, loss, random)
    if own % VALIDATION_EVERY == 0:
        yield from _validation_scalars(own, loss, random)
    if own % HISTOGRAMS_EVERY == 0:
        yield from _histograms(recipe, own, loss, random)
    if own % IMAGES_EVERY == 0:
        yield Image("samples/generated", draw_waves(recipe.seed, own, _blur(loss)))
        yield Image("samples/confusion", draw_confusion_matrix(recipe.seed, _compute_accuracy(loss)))
    if own == 0:
        yield Text("config", _format_config(recipe))
    elif own % NOTES_EVERY == 0:
        yield Text("notes/progress", _note(own, loss))


def _compute_loss(recipe: Recipe, own: int) -> float:
    """Return the loss without noise: a power law, because it still changes visibly on every time scale."""
    loss = recipe.floor + 2.3 * math.pow(1 + own * recipe.speed / 12, -0.9)
    over = own - recipe.diverges_at if recipe.diverges_at is not None else 0
    if over > TICKS_TO_NAN:
        return math.nan
    return loss * math.exp(over / 6) if over > 0 else loss


def _training_scalars(recipe: Recipe, own: int, loss: float, random: np.random.Generator) -> Iterator[Scalar]:
    spike = 5.0 if random.random() < 0.002 else 1.0
    yield Scalar("loss/train", loss * random.lognormal(0, 0.07))
    yield Scalar("metrics/accuracy_train", _compute_accuracy(loss * random.lognormal(0, 0.1)))
    yield Scalar("optimizer/grad_norm", spike * (0.2 + loss) * random.lognormal(0, 0.15))
    yield Scalar("optimizer/learning_rate", recipe.learning_rate * _schedule(own))
    yield Scalar("speed/samples_per_second", 1850 + 150 * math.sin(own / 40) + random.normal(0, 25))
    yield Scalar("system/gpu_utilization", min(1.0, random.normal(0.93, 0.03)))


def _validation_scalars(own: int, loss: float, random: np.random.Generator) -> Iterator[Scalar]:
    overfit = loss * (1.1 + 4e-4 * own)
    yield Scalar("loss/val", overfit * random.lognormal(0, 0.05))
    yield Scalar("metrics/accuracy_val", _compute_accuracy(overfit * random.lognormal(0, 0.06)))


def _histograms(recipe: Recipe, own: int, loss: float, random: np.random.Generator) -> Iterator[Histogram]:
    """Yield weights and gradients; the weights stay constant from the first NaN on, as optimisers skip such steps."""
    moved = own if recipe.diverges_at is None else min(own, recipe.diverges_at + TICKS_TO_NAN)
    learned = math.log1p(moved * recipe.speed / 50)
    weighed = np.random.default_rng((recipe.seed, moved, len(LAYERS)))
    for layer in LAYERS:
        yield Histogram(f"weights/{layer.name}", weights(layer, learned, weighed))
        yield Histogram(f"gradients/{layer.name}", gradients(layer, loss, random))


def _schedule(own: int) -> float:
    """Return the learning rate: a warm-up over the first 20 ticks, then halved every 1,500."""
    return min(1.0, (own + 1) / 20) * math.pow(0.5, own / 1500)


def _compute_accuracy(loss: float) -> float:
    return math.exp(-0.45 * loss) if math.isfinite(loss) else 0.1


def _blur(loss: float) -> float:
    return min(1.0, loss / 2.3) if math.isfinite(loss) else 1.0


def _format_config(recipe: Recipe) -> str:
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
        return f"**Step {own * STEPS_PER_TICK}**: the loss is not a number any more. The learning rate is too high."
    return f"**Step {own * STEPS_PER_TICK}**: training loss {loss:.4f}.\n\n* checkpoint written\n* validation goes on\n"
