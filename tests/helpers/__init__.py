"""Helpers of the tests: logs, snapshots, terminals and apps. `tests/README.md` lists them."""
