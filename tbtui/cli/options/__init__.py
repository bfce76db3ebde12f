"""Options of the commands, one module per command. Imports neither numpy nor Textual: help is immediate.

A module here is named as its command and has `command_parser()` and `parse(words)`. The command itself is
`run(arguments)` in the module of the same name in `tbtui.cli`; that of a small command is in the same module. Help,
completion and docs/reference.md are made from the parsers, so that nothing is listed twice.
"""

from __future__ import annotations

COMMANDS = ("print", "inspect", "compare", "export", "cache", "completion", "help")
"""First words that are no PATH, in the order in which they are listed."""
