"""What is wrong with a graph that cannot be shown."""

from __future__ import annotations


class GraphError(ValueError):
    """What stands here cannot be shown as a graph; the message is one plain sentence."""

    def __init__(self, reason: str, *, may_pass: bool = False) -> None:
        super().__init__(reason)
        self.may_pass = may_pass
        """Nothing is known to be wrong with it: perhaps it can be read later."""
