"""Runs as the commands list and select them: split or folded, and filtered by terms over their attributes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tbtui.cli.options.parser import get_option_name
from tbtui.plugins.registry import read_attributes, run_folder, run_settings
from tbtui.settings.declaration import apply_entries
from tbtui.settings.settings import Settings
from tbtui.store.run_chains import RunJoiner
from tbtui.store.run_parts import RunSplitter

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from tbtui.settings.declaration import Setting
    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.attributes import RunAttributes


def apply_options(settings: Settings, arguments: Namespace, declared: Iterable[Setting[Any]]) -> Settings:
    """Return the settings with the values of the given options."""
    declared = tuple(declared)
    values = {each.name: getattr(arguments, get_option_name(each)) for each in declared}
    return apply_entries(settings, {name: value for name, value in values.items() if value is not None}, declared)


def find_attributes(arguments: Namespace, snapshot: StoreSnapshot) -> Callable[[], RunAttributes | None]:
    """Return a function that reads the attributes of all runs at its first call."""

    @lru_cache(maxsize=1)
    def find() -> RunAttributes | None:
        return read_attributes(snapshot, apply_options(Settings(), arguments, run_settings()))

    return find


class RunLister:
    """Folds, joins and splits the runs of successive snapshots as the options require."""

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self._joiner, self._splitter, self._folder = RunJoiner(), RunSplitter(), run_folder()

    def list(self, snapshot: StoreSnapshot) -> StoreSnapshot:
        """Return the snapshot with the runs as they are listed."""
        arguments = self._arguments
        if arguments.fold_runs == "yes" and arguments.split_runs == "no":
            snapshot = self._folder.fold(snapshot)
        snapshot = self._joiner.join(snapshot, arguments.chain_runs)
        return snapshot if arguments.split_runs == "no" else self._splitter.split(snapshot, arguments.split_runs)
