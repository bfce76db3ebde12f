"""Test when garbage is collected around a start of the dashboard."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import TYPE_CHECKING

import pytest

from tbtui.cli import dashboard
from tbtui.cli.dashboard import Startup

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def restored_interpreter() -> Iterator[None]:
    thresholds, interval, collects = gc.get_threshold(), sys.getswitchinterval(), gc.isenabled()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)
    (gc.enable if collects else gc.disable)()


async def test_startup_collects_garbage_a_while_after_the_first_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    collects = asyncio.Event()
    monkeypatch.setattr(dashboard, "COLLECTION_DELAY_SECONDS", 0.0)
    monkeypatch.setattr(dashboard, "_collect_garbage", collects.set)
    startup = Startup()
    startup.end()
    startup.hold()  # returns at once
    assert not collects.is_set()
    await asyncio.wait_for(collects.wait(), 30)


def test_startup_that_fails_collects_garbage_at_once() -> None:
    startup = Startup()
    assert not gc.isenabled()
    startup.end()
    assert gc.isenabled()
    assert gc.get_threshold()[0] == dashboard.GC_THRESHOLDS[0]
