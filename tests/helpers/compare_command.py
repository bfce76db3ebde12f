"""Write logs to compare, and return the output of `tbtui compare`."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def log(root: Path, run: str, hparams: Mapping[str, Any] | None = None, **tags: Sequence[float]) -> None:
    """Write a run with a session and the values of each tag from step 0; `__` in a tag is a slash."""
    path = root / run / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for tag, values in tags.items():
            for step, value in enumerate(values):
                writer.scalar(tag.replace("__", "/"), value, step, START + step)
        if hparams is None:
            return
        data: Any = get_message_class("HParamsPluginData")()
        data.session_start_info.SetInParent()
        for name, value in hparams.items():
            kind = "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
            setattr(data.session_start_info.hparams[name], f"{kind}_value", value)
        event: Any = get_message_class("Event")(wall_time=START, step=0)
        made = event.summary.value.add(tag="_hparams_/session_start_info")
        made.metadata.plugin_data.plugin_name = "hparams"
        made.metadata.plugin_data.content = data.SerializeToString()
        writer.event(event)


def three_runs(root: Path) -> Path:
    """Write runs `a`, `b` and `c` with sessions."""
    log(root, "a", {"lr": 0.5, "opt": "adam", "bn": True}, loss=[4, 1, 2], acc=[0.25, 0.5])
    log(root, "b", {"lr": 0.25, "opt": "adam", "bn": True}, loss=[4, 3, 1.5], lr=[1, 2])
    log(root, "c", {"lr": 0.25, "opt": "sgd", "bn": True}, loss=[8, math.nan, math.nan], acc=[0.75])
    return root


class CompareResult:
    """Return the output of a command and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: object) -> None:
        try:
            self.code = main(["compare", "--no-cache", *map(str, words)])
        except SystemExit as end:
            self.code = int(end.code or 0)
        self.out, self.err = capsys.readouterr()

    @property
    def lines(self) -> list[str]:
        assert self.code == 0, self.err
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is no strict JSON"))
