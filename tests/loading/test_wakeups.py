from __future__ import annotations

import math
import threading
from unittest import mock

from tbtui.loading.loader import Wakeups


def test_what_was_put_in_is_taken_once() -> None:
    notices = Wakeups()
    notices.put(["a"])
    notices.put(["a", "b"])
    notices.put_everywhere()
    assert notices.take() == ({"a", "b"}, True)
    assert notices.take() == (set(), False)


def test_a_notice_before_the_rest_ends_it_at_once() -> None:
    notices = Wakeups()
    notices.put(["a"])
    notices.wait(math.inf)


def test_a_rest_does_not_wait_for_what_is_due() -> None:
    Wakeups().wait(-1.0)


def test_another_thread_ends_a_rest() -> None:
    notices = Wakeups()
    resting = threading.Thread(target=notices.wait, args=(math.inf,))
    resting.start()
    notices.interrupt()
    resting.join(timeout=10)
    assert not resting.is_alive()


def test_a_rest_is_as_long_as_the_system_can_wait() -> None:
    notices = Wakeups()
    with mock.patch.object(notices, "_bell") as bell:
        notices.wait(1e300)
    ((seconds,), _) = bell.wait.call_args
    assert 1e5 < seconds < threading.TIMEOUT_MAX
