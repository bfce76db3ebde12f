"""Search hyperparameters of a network on the digits of scikit-learn, and log each training as a session.

    python -m tests.benchmarks.digits_search FOLDER [SESSIONS]

It needs scikit-learn, which is no dependency of tbtui. 140 trainings take half a minute on one core. Settings are drawn
at random, and the best ones are trained with two more seeds. A training that diverges is stopped and logs NaN.
"""

from __future__ import annotations

import importlib
import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tests.helpers.session_logs import log_session

EPOCHS = 12

REPEATED = 15
"""Settings that are trained with two more seeds: those of the least loss."""

MAX_LOSS = 2 * math.log(10)
"""Twice the loss of guessing. Such a training is stopped as diverged: scikit-learn clips what is infinite elsewhere."""


def search(folder: Path, sessions: int = 140) -> None:
    """Train and log."""
    datasets: Any = importlib.import_module("sklearn.datasets")
    networks: Any = importlib.import_module("sklearn.neural_network")
    selection: Any = importlib.import_module("sklearn.model_selection")
    metrics: Any = importlib.import_module("sklearn.metrics")
    digits = datasets.load_digits()
    train, test, train_y, test_y = selection.train_test_split(digits.data / 16, digits.target, random_state=0)
    data = train, train_y, test, test_y
    rng = np.random.default_rng(1)
    settings = [_random_setting(rng) for _ in range(sessions - 2 * REPEATED)]
    losses = []
    for number, setting in enumerate(settings):
        losses.append(_log(folder, number, sessions, setting, 0, _train(networks, metrics, setting, 0, data)))
    number = len(settings)
    for index in np.argsort(losses, kind="stable")[:REPEATED].tolist():
        for seed in (1, 2):
            curves = _train(networks, metrics, settings[index], seed, data)
            _log(folder, number, sessions, settings[index], seed, curves)
            number += 1


def _random_setting(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "lr": float(f"{10 ** rng.uniform(-4, 0.5):.3g}"),
        "alpha": float(f"{10 ** rng.uniform(-6, 0):.3g}"),
        "hidden": float(2 ** rng.integers(2, 7)),
        "solver": str(rng.choice(["adam", "sgd"])),
        "activation": str(rng.choice(["relu", "tanh", "logistic"])),
        "batch_size": float(2 ** rng.integers(4, 9)),
        "beta_1": float(f"{rng.uniform(0.8, 0.99):.3g}"),
        "epochs": float(EPOCHS),
        "dataset": "digits",
    }


def _log(
    folder: Path, number: int, sessions: int, setting: dict[str, Any], seed: int, curves: dict[str, list[float]]
) -> float:
    """Log a session, and return its last loss."""
    loss = curves["val/loss"][-1]
    log_session(
        folder,
        f"t{number:03}",
        {**setting, "seed": float(seed)},
        curves,
        metrics=("val/loss", "val/acc"),
        start=time.time() - 60 * (sessions - number),
    )
    return math.inf if math.isnan(loss) else loss


def _train(networks: Any, metrics: Any, setting: dict[str, Any], seed: int, data: Any) -> dict[str, list[float]]:
    train, train_y, test, test_y = data
    model = networks.MLPClassifier(
        (int(setting["hidden"]),),
        solver=setting["solver"],
        activation=setting["activation"],
        learning_rate_init=setting["lr"],
        alpha=setting["alpha"],
        batch_size=int(setting["batch_size"]),
        beta_1=setting["beta_1"],
        random_state=seed,
    )
    curves: dict[str, list[float]] = {"train/loss": [], "val/loss": [], "val/acc": []}
    classes = np.unique(train_y)
    for _ in range(EPOCHS):
        try:
            model.partial_fit(train, train_y, classes=classes)
            chances = model.predict_proba(test)
            loss = metrics.log_loss(test_y, chances, labels=classes)
            curves["train/loss"].append(float(model.loss_))
            curves["val/loss"].append(float(loss))
            curves["val/acc"].append(float(np.mean(np.argmax(chances, axis=1) == test_y)))
        except (ValueError, FloatingPointError):
            for values in curves.values():
                values.append(math.nan)
            break
        if loss > MAX_LOSS:
            for values in curves.values():
                values.append(math.nan)
            break
    return curves


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    search(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
