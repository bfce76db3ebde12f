"""Classes are composed: no chain of base classes is longer than three below a class of a library."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import tbtui

MAX_LEVELS = 3


def levels_of(checked: type) -> int:
    """Return the number of our own classes in the longest chain of bases of a class, itself included."""
    own = [base for base in checked.__bases__ if base.__module__.startswith("tbtui.")]
    return 1 + max(map(levels_of, own), default=0)


def test_class_chains_have_at_most_three_levels() -> None:
    names = [module.name for module in pkgutil.walk_packages(tbtui.__path__, "tbtui.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    classes = {each for module in modules for each in vars(module).values() if inspect.isclass(each)}
    own = [each for each in classes if each.__module__.startswith("tbtui.")]
    assert len(own) > 300
    assert [f"{each.__module__}.{each.__name__}" for each in own if levels_of(each) > MAX_LEVELS] == []
