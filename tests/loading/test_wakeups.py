from __future__ import annotations

import math
import threading
from unittest import mock

from tbtui.loading.loader import Wakeups


def test_wakeups_event_is_returned_once() -> None:
    notices = Wakeups()
    notices.put(["a"])
    notices.put(["a", "b"])
    notices.put_everywhere()
    assert notices.take() == ({"a", "b"}, True)
    assert notices.take() == (set(), False)


def test_wakeups_event_before_the_wait_ends_it_at_once() -> None:
    notices = Wakeups()
    notices.put(["a"])
    notices.wait(math.inf)


def test_wakeups_wait_with_negative_timeout_returns_at_once() -> None:
    Wakeups().wait(-1.0)


def test_wakeups_another_thread_ends_the_wait() -> None:
    notices = Wakeups()
    resting = threading.Thread(target=notices.wait, args=(math.inf,))
    resting.start()
    notices.interrupt()
    resting.join(timeout=10)
    assert not resting.is_alive()


def test_wakeups_wait_is_limited_to_the_system_maximum() -> None:
    notices = Wakeups()
    with mock.patch.object(notices, "_bell") as bell:
        notices.wait(1e300)
    ((seconds,), _) = bell.wait.call_args
    assert 1e5 < seconds < threading.TIMEOUT_MAX
