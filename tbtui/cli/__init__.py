"""Arguments, one module a command, exit codes."""
