"""A failing run cache is reported once, however often it is tried."""

from __future__ import annotations

from tests.helpers.screen_text import until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.helpers.snapshots import plain_store

FULL = "/cache cannot be written: No space left on device"


async def test_cache_failure_is_reported_once() -> None:
    loader = FakeLoader(plain_store("a"))
    app = dashboard(loader)
    async with app.run_test(size=(120, 30)) as pilot:
        for failure in (FULL, None, FULL, None):
            loader.publish(index_failure=failure)
            await until(pilot, lambda failure=failure: app._load.index_failure == failure)
        told = [each.message for each in app._notifications]
        assert told == [f"the cache cannot be written: {FULL}"]
        loader.publish(index_failure="/cache cannot be written: Disk quota exceeded")
        await until(pilot, lambda: len(app._notifications) == 2)
