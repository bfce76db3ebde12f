"""The logs that the pictures show: real trainings, and two that are made up from a seed."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.helpers.mesh_logs import mesh_value
from tests.helpers.session_logs import log_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import StoreSnapshot

    Values: TypeAlias = npt.NDArray[np.float64]

HERE = Path(__file__).parent
DIGITS = HERE / "logs" / "digits"
CORPUS = HERE.parent / "tests" / "corpus"
NOW = 1_790_000_000.0
"""Time at which the screenshots of generated logs are taken, seconds since the epoch."""

MINUTE, HOUR = 60.0, 3600.0
ASSETS_WRITTEN_NS = int((NOW - HOUR) * 1e9)
"""Time of embeddings in the screenshots: the files of a checkout have times of their own."""


class Logs:
    """The state of a loader that has read everything and goes on watching."""

    on_change: Callable[[], None]

    def __init__(self, directory: str, label: str, now: float, base: Path = HERE) -> None:
        """Read everything.

        Args:
            directory: Where the logs are now.
            label: Where they would be found by whoever looks at the picture.
            now: When it is taken, seconds since the epoch.
            base: Directory in which the label leads to the logs, if more of them is read when it is shown.
        """
        loaded = Loader(parse_sources([directory]), reload_seconds=0).load_all()
        self.state: LoadState = replace(loaded, snapshot=_moved(loaded.snapshot, directory, label), watching="notified")
        self.label = label
        self.now = now
        self.base = base

    def wake(self) -> None:
        """There is nothing new."""


def _moved(snapshot: StoreSnapshot, directory: str, label: str) -> StoreSnapshot:
    """The same with other paths of its files, so that no picture tells where it was made."""
    runs = {
        name: replace(
            run,
            files=tuple(replace(file, path=file.path.replace(directory, label)) for file in run.files),
            assets=tuple(
                replace(asset, path=asset.path.replace(directory, label), modified_ns=ASSETS_WRITTEN_NS)
                for asset in run.assets
            ),
        )
        for name, run in snapshot.runs.items()
    }
    return replace(snapshot, runs=runs)


@contextmanager
def written(run: Path, began: float) -> Iterator[EventFileWriter]:
    """The event file of a run."""
    run.mkdir(parents=True)
    with EventFileWriter(str(run / f"events.out.tfevents.{began:.0f}.made.up"), wall_time=began) as file:
        yield file


@cache
def digits() -> Logs:
    """Seven trainings on the scikit-learn digits, a quarter of an hour after the last of them."""
    return Logs(str(DIGITS), "logs/digits", 1_795_196_671 + 15 * MINUTE)


@cache
def models() -> Logs:
    """Graphs of three networks, as Keras, PyTorch and TensorFlow 1 wrote them."""
    return Logs(str(DIGITS.with_name("models")), "logs/models", 1_795_196_731 + 15 * MINUTE)


@cache
def embeddings() -> Logs:
    """The 1,797 digits of scikit-learn as points of 64 pixels, with labels and a sprite."""
    return Logs(str(DIGITS.parents[1] / "embeddings"), "embeddings", NOW)


@cache
def _workplace() -> Path:
    """A directory for logs of which more is read when they are shown; it is deleted at the end."""
    directory = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, directory)
    return Path(directory)


@cache
def profile() -> Logs:
    """A step of training on two threads, as the profiler of PyTorch recorded it."""
    label = "logs/step"
    shutil.copytree(CORPUS / "profile" / "torch" / "all_on", _workplace() / label)
    return Logs(str(_workplace() / label), label, NOW, _workplace())


@cache
def shapes() -> Logs:
    """A torus that becomes a knot in six steps, with a colour for each place along it, beside its points alone."""
    label = "logs/meshes"
    with written(_workplace() / label / "knot", NOW - HOUR) as file:
        for step in range(KNOT_STEPS):
            vertices, faces, colours = _knot(step / (KNOT_STEPS - 1))
            event = get_message_class("Event")(wall_time=NOW - HOUR + step, step=100 * step)
            for part, array in (("vertices", vertices), ("faces", faces), ("colours", colours)):
                event.summary.value.append(mesh_value("generated/shape", part, array[None]))
            cloud = vertices[::3] + np.random.default_rng(step).normal(0, 0.02, vertices[::3].shape)
            event.summary.value.append(mesh_value("generated/points", "vertices", cloud[None].astype(np.float32)))
            event.summary.value.append(mesh_value("generated/points", "colours", colours[None, ::3]))
            file.event(event)
    return Logs(str(_workplace() / label), label, NOW, _workplace())


KNOT_STEPS, KNOT_LENGTH, KNOT_ROUND = 6, 240, 24


def _knot(part: float) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Vertices, faces and colours of a tube along a curve between a ring (`part` 0) and a trefoil knot (1)."""
    t = np.linspace(0, 2 * np.pi, KNOT_LENGTH, endpoint=False)
    ring = np.stack([3 * np.cos(t), 3 * np.sin(t), 0 * t], 1)
    trefoil = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], 1)
    curve = ring * (1 - part) + trefoil * part
    along = np.roll(curve, -1, 0) - np.roll(curve, 1, 0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, (0.0, 0.3, 1.0))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    above = np.cross(along, side)
    angle = np.linspace(0, 2 * np.pi, KNOT_ROUND, endpoint=False)
    circle = np.cos(angle)[None, :, None] * side[:, None] + np.sin(angle)[None, :, None] * above[:, None]
    vertices = (curve[:, None] + 0.45 * circle).reshape(-1, 3).astype(np.float32)
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(KNOT_LENGTH), np.arange(KNOT_ROUND), indexing="ij"))
    ahead, beside = (i + 1) % KNOT_LENGTH, (j + 1) % KNOT_ROUND
    here, corner = i * KNOT_ROUND + j, ahead * KNOT_ROUND + beside
    first = np.stack([here, ahead * KNOT_ROUND + j, corner], 1)
    faces = np.concatenate([first, np.stack([here, corner, i * KNOT_ROUND + beside], 1)]).astype(np.int32)
    hue = np.repeat(t, KNOT_ROUND)[:, None] + np.array([0, 2.1, 4.2])
    return vertices, faces, (140 + 100 * np.cos(hue)).astype(np.uint8)


# A search over hyperparameters: 60 sessions of a small network

WIDTHS, SOLVERS, TRIALS = (32, 64, 128, 256), ("adam", "sgd"), 60
TRIAL_POINTS = 30


@cache
def sessions() -> Logs:
    """A random search in which the learning rate matters most, then the optimiser; large rates diverge."""
    random = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as directory:
        for trial in range(TRIALS):
            rate = 10 ** random.uniform(-4.5, -1)
            width, solver = int(random.choice(WIDTHS)), str(random.choice(SOLVERS))
            dropout = round(float(random.uniform(0, 0.5)), 2)
            best_rate = 2.2e-3 if solver == "adam" else 2e-2
            distance = np.log10(rate / best_rate)
            end = (
                0.08 + 0.11 * distance**2 + (0.12 if solver == "sgd" else 0) + 0.5 / width + 0.06 * (dropout - 0.2) ** 2
            )
            points = np.arange(1, TRIAL_POINTS + 1)
            loss = end + (2.3 - end) * np.exp(-points / (3 + 2 * abs(distance)))
            loss *= random.lognormal(0, 0.03, TRIAL_POINTS)
            if rate > 15 * best_rate:
                loss[12:] = np.nan
            chosen = {"lr": float(f"{rate:.2g}"), "solver": solver, "width": width, "dropout": dropout}
            log_session(
                Path(directory),
                f"trial{trial:02}",
                chosen,
                {"loss/val": loss.tolist(), "acc/val": (1 - loss / 2.6).tolist()},
                metrics=("loss/val",),
                start=NOW - HOUR - 60 * (TRIALS - trial),
                file=f"events.out.tfevents.{NOW - HOUR:.0f}.made.up",
            )
        return Logs(directory, "logs/search", NOW)


# A search over hyperparameters: 300 runs

OPTIMIZERS = {"adam": 1.0, "adamw": 1.1, "sgd": 0.5}
"""By how fast each is."""

RATES = {"1e-4": 0.25, "3e-4": 0.6, "1e-3": 1.0, "3e-3": 1.4, "1e-2": 0.1}
DECAYS = {"0": 0.06, "1e-3": 0.03, "1e-2": 0.02, "1e-1": 0.3}
"""By how far each gets."""

SEEDS = 5
SEARCH_POINTS, SEARCH_STRIDE = 50, 200


@cache
def search() -> Logs:
    """Every optimiser with every rate and every decay, each with five seeds."""
    random = np.random.default_rng(0)
    steps = np.arange(1, SEARCH_POINTS + 1) * SEARCH_STRIDE
    with tempfile.TemporaryDirectory() as directory:
        for optimizer, pace in OPTIMIZERS.items():
            for rate, speed in RATES.items():
                for decay, floor in DECAYS.items():
                    for seed in range(SEEDS):
                        run = Path(directory, f"{optimizer}_lr{rate}_wd{decay}", f"seed{seed}")
                        luck = random.lognormal(0, 0.15)
                        loss = floor * luck + 2.3 * (1 + steps * pace * speed * luck / 800) ** -0.9
                        loss *= random.lognormal(0, 0.03, SEARCH_POINTS)
                        with written(run, NOW - HOUR) as file:
                            for step, value in zip(steps.tolist(), loss.tolist(), strict=True):
                                file.scalar("loss/val", value, step, NOW - HOUR + step * 0.3)
        return Logs(directory, "logs/search", NOW)


# A day on a cluster: what can become of a run


@dataclass(frozen=True)
class Training:
    """One run of the cluster."""

    name: str
    quiet: float
    """Seconds since its last write."""

    points: int
    seconds: float
    """Seconds between two writes."""

    loss: Callable[[Values], Values]
    """Function from points to values, without noise."""

    noise: float = 0.03
    """Standard deviation of the logarithm of the loss."""


def _falls(x: Values) -> Values:
    return 0.3 + 2.2 * (1 + x / 12) ** -0.8


def _lost(x: Values) -> Values:
    return np.where(x < 310, _falls(x), np.nan)


def _turns(x: Values) -> Values:
    return _falls(x) * np.exp(np.maximum(x - 260, 0) / 25)


def _overflows(x: Values) -> Values:
    return np.where(x < 190, _falls(x), np.inf)


def _stays(x: Values) -> Values:
    return 1.2 + 1.1 * np.exp(-x / 15)


CLUSTER = (
    Training("large", 9, 410, 30, _falls),
    Training("small", 2 * HOUR + 60, 500, 12, _falls),
    Training("lr_high", 3 * MINUTE, 380, 20, _turns),
    Training("half_precision", 15, 450, 15, _overflows),
    Training("no_warmup", 12, 430, 25, _lost),
    Training("frozen", 5, 400, 18, _stays, noise=1e-4),
    Training("preempted", 35 * MINUTE, 240, 22, _falls),
)
CLUSTER_STRIDE = 100
CLUSTER_STEPS = 500 * CLUSTER_STRIDE


@cache
def cluster() -> Logs:
    """Trainings of which some do well."""
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as directory:
        for training in CLUSTER:
            points = np.arange(1, training.points + 1)
            loss = training.loss(points.astype(np.float64)) * random.lognormal(0, training.noise, training.points)
            times = NOW - training.quiet - (training.points - points) * training.seconds
            with written(Path(directory, training.name), float(times[0])) as file:
                for point, value, time in zip(points.tolist(), loss.tolist(), times.tolist(), strict=True):
                    file.scalar("loss/train", value, point * CLUSTER_STRIDE, time)
        return Logs(directory, "logs/cluster", NOW)
