"""Profile dashboard: breakdown of a step and advice, from traces of PyTorch, TensorFlow and JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin, PrintedText, TableExport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.profile.pane.pane import ProfilePane

    return ProfilePane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.profile.print_blocks import print_profiles

    return print_profiles(view, options)


def _export_steps(request: ExportRequest) -> Rows:
    from tbtui.plugins.profile.export import step_rows

    return step_rows(request)


def _export_operators(request: ExportRequest) -> Rows:
    from tbtui.plugins.profile.export import export_operators

    return export_operators(request)


def _export_kernels(request: ExportRequest) -> Rows:
    from tbtui.plugins.profile.export import export_kernels

    return export_kernels(request)


def _export_events(request: ExportRequest) -> Rows:
    from tbtui.plugins.profile.export import export_events

    return export_events(request)


def _describe_assets(run: RunSnapshot) -> Iterator[str]:
    from tbtui.plugins.profile.print_blocks import describe_captures

    return describe_captures(run)


def _run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:  # noqa: ARG001 - files
    from tbtui.run_health.summaries import collect_contents

    if "profile" in collect_contents(run).tags:
        yield "profiles", tuple(_describe_assets(run))


PLUGIN = Plugin(
    "profile",
    "Profile",
    "profiles",
    frozenset({"profile"}),
    _load_pane,
    describe_assets=_describe_assets,
    run_details=_run_details,
    text=PrintedText(_print_blocks),
    exports=(
        TableExport(
            "steps",
            "steps",
            _export_steps,
            source="runs",
            columns_help="capture, step, start_us, duration_us and the time of each class: a row a step of a profile",
        ),
        TableExport(
            "operators",
            "operators",
            _export_operators,
            source="runs",
            columns_help="capture, name, calls, host and device times in µs, kernels: a row an operator of a profile",
        ),
        TableExport(
            "kernels",
            "kernels",
            _export_kernels,
            source="runs",
            columns_help="capture, name, calls, times in µs, occupancy, operator: a row a kernel of a profile",
        ),
        TableExport(
            "events",
            "events",
            _export_events,
            source="runs",
            columns_help="capture, name, kind, process, track, start_us, duration_us, step: a row an event",
        ),
    ),
)
