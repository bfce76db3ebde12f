"""The console script: selects a command and runs it. Each command is imported only when it runs."""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from tbtui.cli.options import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPLETION_VARIABLE = "_TBTUI_COMPLETE"
"""Environment variable with which the scripts in `tbtui.cli.completion_scripts` request completions."""

EXIT_INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""

GC_THRESHOLDS = (50_000, 50, 1_000)
"""Objects until a collection of the young ones, and such collections until one of the older ones, as in `gc`."""

STDOUT_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a full or broken disk behind stdout."""


def program() -> NoReturn:
    """Run `main`, and exit at once when it returns.

    Python would first take everything apart while daemon threads still wait in the system or in native code, which may
    hang, and takes longer the more was read. There is nothing left to do but to write what is buffered.
    """
    # A command makes much that stays and little garbage. With Python's own thresholds, the search takes a quarter
    # of the time for a log directory of thousands of runs.
    gc.set_threshold(*GC_THRESHOLDS)
    if sys.stderr is None:  # closed by the parent process (`2>&-`)
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        code = _complete(sys.argv[1:]) if COMPLETION_VARIABLE in os.environ else main()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = 1
    except Exception as error:  # noqa: BLE001 - every exception is reported as a crash
        code = _report_crash(error)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _complete(words: Sequence[str]) -> int:
    """Print the completions for a shell."""
    from tbtui.cli.options.complete import complete

    print(complete(words), end="")
    return 0


def _report_crash(error: Exception) -> int:
    """Report an uncaught exception: one line on stderr, the traceback in a file. Return the exit code."""
    if isinstance(error, MemoryError):
        print("tbtui: not enough memory", file=sys.stderr)  # to complain, or report, would take more of it
        return 1
    if isinstance(error, OSError) and error.errno in STDOUT_ERRNOS:
        from tbtui.cli.errors import print_error

        return print_error(f"stdout cannot be written: {error.strerror}")
    from tbtui.cli.session import EXIT_CRASH, create_report

    report = create_report()
    report.add(error)
    print(report.write(), file=sys.stderr)
    return EXIT_CRASH


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of `argv`.

    Args:
        argv: The words after the program's name; those of the process when None.

    Returns:
        The exit code: 0 fine, 1 nothing matched, data damaged beyond use or a crash, 2 wrong arguments or path.

    Raises:
        SystemExit: after `--help`, `--version` and arguments that cannot be parsed.
    """
    # numpy's own threads would begin, wait for work and take memory, and there is none for them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        if words and words[0] in COMMANDS:
            return _run(words[0], words[1:])
        return _run("dashboard", words)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        from tbtui.cli.terminal import discard_output

        discard_output()  # the reader of stdout has ended, as in `tbtui inspect | head`
        return 1


def _run(name: str, words: Sequence[str]) -> int:
    """Parse the options of a command with its module in `tbtui.cli.options`, then import and run the command."""
    options = import_module(f"tbtui.cli.options.{name}")
    arguments = options.parse(words)
    command = options if hasattr(options, "run") else import_module(f"tbtui.cli.{name}")
    code: int = command.run(arguments)
    return code
