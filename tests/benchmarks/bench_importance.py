"""Measure which formula says what matters: formulas of numpy alone against forests, where the truth is known.

    python -m tests.benchmarks.bench_importance [REPETITIONS]

scikit-learn and Optuna are compared if they are installed; they are no dependencies of tbtui. The searches have 15
hyperparameters, of which ten are noise; the learning rate has by far the largest effect, and a high one diverges. The
truth is the total Sobol index of the rank of the loss. 20 repetitions take a few minutes, fANOVA most of them.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.maths.rank_anova import (
    choose_bin_count,
    compute_mid_ranks,
    compute_q_values,
    measure_effect,
    measure_pairs,
    number_levels,
    pair_bin_count,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Columns = dict[str, Floats]
    Formula = Callable[[Columns, Floats], Floats]

HAS_SKLEARN = importlib.util.find_spec("sklearn") is not None
HAS_OPTUNA = HAS_SKLEARN and importlib.util.find_spec("optuna") is not None

STRONG, RELEVANT = 0.05, 0.005
"""Sobol indices from which a hyperparameter has a strong effect, and any."""

MAX_Q = 0.1
MAX_FANOVA_TRIALS = 100
"""fANOVA takes 8 s of 500 trials: it is measured once there."""


class Space(NamedTuple):
    """How one hyperparameter is drawn."""

    name: str
    kind: str
    """`log`, `linear`, `integer`, `power` of two or `kind`."""

    low: float
    high: float


def search_space(noise: int = 10) -> list[Space]:
    """Return five hyperparameters with an effect, and others without any."""
    spaces = [
        Space("lr", "log", 1e-5, 1),
        Space("wd", "log", 1e-6, 0.1),
        Space("opt", "kind", 0, 2),
        Space("dropout", "linear", 0, 0.6),
        Space("layers", "integer", 1, 8),
    ]
    kinds = (("linear", 0, 1), ("log", 1e-4, 1), ("kind", 0, 2), ("integer", 1, 5))
    return spaces + [Space(f"noise{number}", *kinds[number % len(kinds)]) for number in range(noise)]


def drawn(spaces: Sequence[Space], count: int, rng: np.random.Generator) -> Columns:
    """Return random values of all hyperparameters."""
    return {space.name: _drawn(space, count, rng) for space in spaces}


def _drawn(space: Space, count: int, rng: np.random.Generator) -> Floats:
    if space.kind == "log":
        return np.asarray(10 ** rng.uniform(math.log10(space.low), math.log10(space.high), count))
    if space.kind == "linear":
        return rng.uniform(space.low, space.high, count)
    return rng.integers(int(space.low), int(space.high) + 1, count).astype(np.float64)


def losses(columns: Columns, rng: np.random.Generator, noise: float = 0.05) -> Floats:
    """Return the loss of each trial; NaN where the learning rate is too high."""
    rate, decay = np.log10(columns["lr"]), np.log10(columns["wd"])
    loss = 0.3 + 0.12 * (rate + 3) ** 2 + 0.1 * (columns["opt"] == 2) + 0.25 * (columns["dropout"] - 0.2) ** 2
    loss = loss + 0.0125 * np.abs(rate + 3) * (decay + 3.5) ** 2 + 0.01 * np.abs(columns["layers"] - 4)
    loss = loss + rng.normal(0, noise, len(rate))
    return np.where(rate > -0.6, np.nan, loss)


def adaptive(spaces: Sequence[Space], count: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
    """Return a search that learns: two thirds of its trials are near the best ones so far."""
    columns = drawn(spaces, count, rng)
    loss = losses(columns, rng)
    for trial in range(count // 3, count):
        known = np.where(np.isnan(loss[:trial]), np.inf, loss[:trial])
        near = int(rng.choice(np.argsort(known)[: max(3, trial // 10)]))
        for space in spaces:
            columns[space.name][trial] = _near(space, columns[space.name][near], columns[space.name][trial], rng)
        loss[trial] = losses({name: column[[trial]] for name, column in columns.items()}, rng)[0]
    return columns, loss


def _near(space: Space, best: float, other: float, rng: np.random.Generator) -> float:
    if space.kind == "kind":
        return best if rng.random() < 0.8 else other
    low, high, at = space.low, space.high, best
    if space.kind == "log":
        low, high, at = math.log10(low), math.log10(high), math.log10(at)
    moved = min(max(at + rng.normal(0, 0.15) * (high - low), low), high)
    return 10**moved if space.kind == "log" else round(moved) if space.kind == "integer" else moved


def sobol_indices(spaces: Sequence[Space], count: int = 40_000) -> Floats:
    """Return the total effect of each hyperparameter on the rank of the loss, by drawing it anew."""
    rng = np.random.default_rng(1)
    first, second = drawn(spaces, count, rng), drawn(spaces, count, rng)

    def exact(columns: Columns) -> Floats:
        loss = losses(columns, np.random.default_rng(2), 0.0)
        return np.where(np.isnan(loss), np.nanmax(loss) + 1, loss)

    ordered = np.sort(exact(first))
    ranks = np.searchsorted(ordered, exact(first)) / count
    others = (np.searchsorted(ordered, exact({**first, space.name: second[space.name]})) / count for space in spaces)
    return np.array([((ranks - other) ** 2).mean() / 2 / ranks.var() for other in others])


# Formulas


def rank_anova(columns: Columns, loss: Floats) -> Floats:
    """Return the shares that tbtui shows."""
    ranks, bins = compute_mid_ranks(loss), choose_bin_count(len(loss))
    return np.array([max(measure_effect(number_levels(column, bins), ranks).share, 0) for column in columns.values()])


def pearson(columns: Columns, loss: Floats) -> Floats:
    """Return the linear correlations, without trials that diverged."""
    known = ~np.isnan(loss)
    return np.array([_correlation(column[known], loss[known]) for column in columns.values()])


def spearman(columns: Columns, loss: Floats) -> Floats:
    """Return the correlations of ranks."""
    ranks = compute_mid_ranks(loss)
    return np.array([_correlation(compute_mid_ranks(column), ranks) for column in columns.values()])


def _correlation(a: Floats, b: Floats) -> float:
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(abs(np.nan_to_num(np.corrcoef(a, b)[0, 1])))


def forest_impurity(columns: Columns, loss: Floats) -> Floats:
    """Return the importances of a random forest, as wandb computes them."""
    ensemble: Any = importlib.import_module("sklearn.ensemble")
    forest = ensemble.RandomForestRegressor(100, random_state=0, n_jobs=1)
    return np.asarray(forest.fit(*_design(columns, loss)).feature_importances_)


def forest_permutation(columns: Columns, loss: Floats) -> Floats:
    """Return how much worse a random forest predicts with a column permuted."""
    ensemble: Any = importlib.import_module("sklearn.ensemble")
    inspection: Any = importlib.import_module("sklearn.inspection")
    design, ranks = _design(columns, loss)
    forest = ensemble.RandomForestRegressor(100, random_state=0, n_jobs=1, max_features=0.5, min_samples_leaf=2)
    forest.fit(design, ranks)
    found = inspection.permutation_importance(forest, design, ranks, n_repeats=5, random_state=0)
    return np.maximum(found.importances_mean, 0)


def mutual_information(columns: Columns, loss: Floats) -> Floats:
    """Return the mutual information of each column and the ranks."""
    selection: Any = importlib.import_module("sklearn.feature_selection")
    return np.asarray(selection.mutual_info_regression(*_design(columns, loss), random_state=0))


def _design(columns: Columns, loss: Floats) -> tuple[Floats, Floats]:
    return np.stack(list(columns.values()), axis=1), compute_mid_ranks(loss) / len(loss)


def ped_anova(columns: Columns, loss: Floats) -> Floats:
    """Return Optuna's PED-ANOVA."""
    return _optuna(columns, loss, "PedAnovaImportanceEvaluator", {})


def fanova(columns: Columns, loss: Floats) -> Floats:
    """Return Optuna's fANOVA."""
    return _optuna(columns, loss, "FanovaImportanceEvaluator", {"seed": 0})


def _optuna(columns: Columns, loss: Floats, evaluator: str, options: dict[str, Any]) -> Floats:
    optuna: Any = importlib.import_module("optuna")
    importance: Any = importlib.import_module("optuna.importance")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    ranks = compute_mid_ranks(loss) / len(loss)
    spaces = {name: _distribution(optuna, column) for name, column in columns.items()}
    study = optuna.create_study()
    study.add_trials(
        [
            optuna.trial.create_trial(
                params={name: float(column[trial]) for name, column in columns.items()},
                distributions=spaces,
                value=float(ranks[trial]),
            )
            for trial in range(len(loss))
        ]
    )
    found = importance.get_param_importances(study, evaluator=getattr(importance, evaluator)(**options))
    return np.array([found.get(name, 0.0) for name in columns])


def _distribution(optuna: Any, column: Floats) -> Any:
    low, high = float(column.min()), float(column.max())
    if len(np.unique(column)) <= 3:
        return optuna.distributions.CategoricalDistribution([float(value) for value in np.unique(column)])
    is_log = low > 0 and high / low > 50
    return optuna.distributions.FloatDistribution(low, high if high > low else low + 1, log=is_log)


def formulas() -> dict[str, Formula]:
    """Return the formulas whose libraries are installed."""
    found: dict[str, Formula] = {
        "rank ANOVA (tbtui)": rank_anova,
        "Pearson (wandb's correlation)": pearson,
        "Spearman": spearman,
    }
    if HAS_SKLEARN:
        found |= {
            "mutual information": mutual_information,
            "forest impurity (wandb)": forest_impurity,
            "forest permutation": forest_permutation,
        }
    if HAS_OPTUNA:
        found |= {"PED-ANOVA (Optuna)": ped_anova, "fANOVA (Optuna)": fanova}
    return found


# Measurements


def compare_formulas(repetitions: int) -> None:
    """Print how well each formula finds what matters in searches with a known truth."""
    spaces = search_space()
    truth = sobol_indices(spaces)
    strong, noise = np.flatnonzero(truth > STRONG), truth <= RELEVANT
    print(f"truth: {', '.join(f'{s.name} {t:.2f}' for s, t in zip(spaces, truth, strict=True) if t > RELEVANT)}")
    print(f"strong: {', '.join(spaces[index].name for index in strong)}; {noise.sum()} without an effect")
    for design, count in (("random", 30), ("adaptive", 30), ("adaptive", 500)):
        print(f"{design}, {count} trials: lr first, noise above a strong one, correlation with the truth, ms CPU")
        for name, formula in formulas().items():
            times = repetitions if count < 500 else max(repetitions // 5, 1)
            times = 1 if formula is fanova and count > MAX_FANOVA_TRIALS else times
            first, below, correlations, cpu = [], [], [], []
            for repetition in range(times):
                rng = np.random.default_rng(100 + repetition)
                if design == "adaptive":
                    columns, loss = adaptive(spaces, count, rng)
                else:
                    columns = drawn(spaces, count, rng)
                    loss = losses(columns, rng)
                began = time.process_time()
                found = np.nan_to_num(formula(columns, loss))
                cpu.append(time.process_time() - began)
                first.append(int(np.argmax(found)) == 0)
                below.append(np.mean([(found[noise] >= found[index]).sum() for index in strong]))
                correlations.append(np.corrcoef(compute_mid_ranks(found), compute_mid_ranks(truth))[0, 1])
            print(
                f"  {name:30s} {np.mean(first):5.0%} {np.mean(below):5.1f} {np.mean(correlations):6.2f} "
                f"{np.median(cpu) * 1e3:9.1f}"
            )


def false_alarms(searches: int = 400) -> None:
    """Print how often something is marked where nothing matters, and how often a true effect is found."""
    print("ten hyperparameters: p < .05 marks something, q < .1 does, an effect of half is found")
    for count in (8, 12, 20, 50, 200):
        single = joint = found = 0
        bins = choose_bin_count(count)
        for seed in range(searches):
            rng = np.random.default_rng(seed)
            kinds = [Space("", *(("linear", 0, 1), ("kind", 0, 2), ("integer", 1, 5))[n % 3]) for n in range(10)]
            levels = [number_levels(_drawn(kind, count, rng), bins) for kind in kinds]
            ranks = compute_mid_ranks(rng.normal(size=count))
            chances = [measure_effect(each, ranks).p for each in levels]
            single += min(chances) < 0.05
            joint += bool((compute_q_values(chances) < MAX_Q).any())
            column = rng.random(count)
            ranks = compute_mid_ranks(column * math.sqrt(12) + rng.normal(size=count))
            levels[0] = number_levels(column, bins)
            found += bool(compute_q_values([measure_effect(each, ranks).p for each in levels])[0] < MAX_Q)
        print(f"  {count:4d} trials: {single / searches:.0%}, {joint / searches:.0%}, {found / searches:.0%}")


def pairs(searches: int = 200) -> None:
    """Print how often a pair is listed where nothing matters, and how often a pure interaction is."""
    print("45 pairs: greatest excess by chance (median), false lists, a pure interaction is listed")
    for count in (30, 50, 140, 500):
        excess, false, found = [], 0, 0
        bins = pair_bin_count(count)
        for seed in range(searches):
            rng = np.random.default_rng(seed)
            columns = [rng.random(count) for _ in range(10)]
            levels = [number_levels(column, bins) for column in columns]
            chance = measure_pairs(levels, compute_mid_ranks(rng.normal(size=count)))
            excess.append(max(pair.excess for pair in chance))
            false += bool((compute_q_values([pair.p for pair in chance]) < MAX_Q).any())
            loss = 1.5 * ((columns[0] > 0.5) ^ (columns[1] > 0.5)) + columns[2] + rng.normal(0, 0.5, count)
            found += bool(
                compute_q_values([pair.p for pair in measure_pairs(levels, compute_mid_ranks(loss))])[0] < MAX_Q
            )
        print(f"  {count:4d} trials: {np.median(excess):.2f}, {false / searches:.0%}, {found / searches:.0%}")


def hints(searches: int = 200) -> None:
    """Print how often the product says that the best lie at an edge, by the place of the optimum."""
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.importance import measure_importance
    from tbtui.plugins.hparams.table_builder import SessionTables
    from tests.helpers.sessions import session_run
    from tests.helpers.snapshots import store

    print(
        "try below (above) the range: optimum 20 % below, at its lower end, 20 % inside, in the middle, nothing matters"
    )
    for count in (20, 50, 140):
        words = []
        for optimum in (-0.2, 0.0, 0.2, 0.5, None):
            below = above = 0
            for seed in range(searches):
                rng = np.random.default_rng(seed)
                values = rng.random((count, 8))
                effect = 0.0 if optimum is None else np.abs(values[:, 0] - optimum)
                loss = effect + 0.3 * np.abs(values[:, 1] - 0.5) + rng.normal(0, 0.15, count)
                runs = (
                    session_run(f"t{row:03}", {f"h{n}": float(v) for n, v in enumerate(values[row])}, {"loss": [y]})
                    for row, y in enumerate(loss.tolist())
                )
                table = SessionTables(Payloads()).build(store(*runs).runs)
                metric = table.metrics[0]
                found = measure_importance(
                    table, metric.title, table.figures.values(metric, "last", "min").values, "min"
                )
                given = [hint.text for each in found.hparams if each.name == "h0" for hint in each.hints]
                below += any(text.startswith("below") for text in given)
                above += any(text.startswith("above") for text in given)
            words.append(f"{below / searches:.0%} ({above / searches:.0%})")
        print(f"  {count:4d} trials: {', '.join(words)}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    compare_formulas(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    false_alarms()
    pairs()
    hints(40)
