"""Print logs: read them, make a view, write its blocks; once, or repeatedly with `--watch`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, cast

from tbtui.charts.series_colours import count_distinct_colours
from tbtui.cli.arguments import NameFilters, PatternError, name_sources
from tbtui.cli.errors import EXIT_NOTHING, explain_no_match, print_error
from tbtui.cli.options.parser import PRINT_SUFFIXES, format_of_name
from tbtui.cli.options.print import DRAWINGS, explain_unsupported
from tbtui.cli.output import Output, get_output_path, print_output_error
from tbtui.cli.run_loading import open_run_cache, report_cache_failure, report_damage, report_unshown
from tbtui.cli.run_selection import RunLister, apply_options, find_attributes
from tbtui.export.output import OutputError
from tbtui.loading.loader import Loader
from tbtui.loading.sources import SourceError, parse_sources
from tbtui.plugins.comparison.settings import STATISTIC
from tbtui.plugins.hparams.settings import SESSIONS, SessionSettings
from tbtui.plugins.registry import list_command_settings, list_text_plugins
from tbtui.report.blocks import Notes
from tbtui.report.options import PrintOptions
from tbtui.report.renderer import render_blocks
from tbtui.report.terminal import OutputTarget, choose_target, join_lines
from tbtui.run_health.summaries import RunSummary, SummaryCache, collect_contents
from tbtui.settings.filters import has_term_signs
from tbtui.settings.settings import Settings
from tbtui.settings.text_files import FollowedTextFiles
from tbtui.store.run_series import collect_tags
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tbtui.cli.print.picture import PictureFormat
    from tbtui.loading.state import LoadState, Searched
    from tbtui.plugins.base import Plugin
    from tbtui.report.blocks import Block
    from tbtui.report.terminal import OutputFormat
    from tbtui.settings.declaration import Setting
    from tbtui.settings.kinds import TextFile
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.view import View


# Find which of the printable dashboards have data in a view.


def create_blocks(plugin: Plugin, view: View, options: PrintOptions) -> Iterator[Block]:
    """Return the blocks of a dashboard."""
    return iter(()) if plugin.text is None else plugin.text.blocks(view, options)


def list_printed_names(plugin: Plugin) -> frozenset[str]:
    """Return the plugin names of the series that are printed."""
    reads = None if plugin.text is None else plugin.text.reads
    return plugin.reads if reads is None else reads


def find_tags(view: View, plugin: Plugin) -> frozenset[str]:
    """Return the matching tags of a dashboard in the drawn runs."""
    tag_sets = (
        view.summaries[run.name].tags.get(name, frozenset()) for run in view.runs for name in list_printed_names(plugin)
    )
    return frozenset(tag for tag in frozenset[str]().union(*tag_sets) if view.tag_matches(tag))


def has_data(view: View, plugin: Plugin) -> bool:
    """Return True if the drawn runs hold any data of a dashboard that was named in the arguments."""
    if plugin.text is not None and plugin.text.has_data is not None:
        return plugin.text.has_data(view)
    if plugin.text is None or plugin.text.filters_tags:
        return bool(find_tags(view, plugin))
    return any(name in view.summaries[run.name].tags for run in view.runs for name in list_printed_names(plugin))


def find_first_with_data(view: View) -> Plugin:
    """Return the dashboard that an option requires, else the first one with a matching tag, else the first one."""
    plugins = list(list_text_plugins().values())
    for plugin in plugins:
        if plugin.is_requested is not None and plugin.is_requested(view.settings):
            return plugin
    return next((plugin for plugin in plugins if find_tags(view, plugin)), plugins[0])


def describe_other_data(view: View, shown: Plugin) -> str:
    """Name the other data of the drawn runs: `also here: images (12 tags), hparams (3 sessions)`; empty without any.

    Of dashboards that print the same series only the first is named.
    """
    from tbtui.charts.numbers import format_count

    seen = {list_printed_names(shown)}
    plugins = []
    for name, plugin in list_text_plugins().items():
        if list_printed_names(plugin) not in seen and (tags := find_tags(view, plugin)):
            seen.add(list_printed_names(plugin))
            noun = plugin.text.run_noun if plugin.text else ""
            runs = sum(
                any(read in view.summaries[run.name].tags for read in list_printed_names(plugin)) for run in view.runs
            )
            plugins.append(f"{name} ({format_count(runs, noun) if noun else format_count(len(tags), 'tag')})")
    return f"also here: {', '.join(plugins)} (--plugin NAME)" if plugins else ""


# Collect the tags of runs for a print; health and pace, which take time, are skipped.


class TagFacts(SummaryCache):
    """Facts without anomalies and pace, recomputed for runs that have changed."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, tuple[int, RunSummary]] = {}

    def of(self, snapshot: StoreSnapshot, now: float | None = None) -> Mapping[str, RunSummary]:  # noqa: ARG002 - see there
        """Return the facts of every run of a snapshot by run name."""
        before, self._known = self._known, {}
        for name, run in snapshot.runs.items():
            known = before.get(name)
            self._known[name] = (
                known if known is not None and known[0] == run.revision else (run.revision, _count_facts(run))
            )
        return {name: facts for name, (_, facts) in self._known.items()}


def _count_facts(run: RunSnapshot) -> RunSummary:
    contents = collect_contents(run)
    return RunSummary(contents.tags, contents.values, None, run.last_wall_time, vanished=run.vanished)


class NotOfKindError(ValueError):
    """Raised for an option that the kind of data does not support. The message is one plain line."""


EXIT_SLOWER = 1
"""A profile is slower than `--max-slower` allows."""


def print_logs(arguments: Namespace) -> int:
    """Print the matching data.

    Args:
        arguments: Result of `options.print.parse`.

    Returns:
        Exit code: 0 success; 1 nothing matched or could be read; 2 wrong arguments, path or output.
    """
    output = Output.of(arguments)
    try:
        output.check()
        loader = Loader(
            name_sources(arguments.paths),
            reload_seconds=arguments.watch or 0,
            indexes=open_run_cache(arguments),
            jobs=arguments.jobs,
        )
        if arguments.watch is not None:
            from tbtui.cli.print.watch import watch

            return watch(loader, Printing(arguments), arguments.watch)
        return _print_once(loader.load_all(), Printing(arguments), output)
    except OutputError as error:
        return print_output_error(error)
    except (SourceError, PatternError, NotOfKindError) as error:
        return print_error(str(error))


def _print_once(loaded: LoadState, printing: Printing, output: Output) -> int:
    printing.searched = loaded.searched
    view = printing.view(loaded.snapshot)
    write = _write_drawing if printing.form in DRAWINGS else _write_lines
    if printing.arguments.baseline is not None:
        write = _write_regressions
    code = write(view, printing, output)
    printing.filters.report_plain_text()
    report_cache_failure(loaded)
    report_damage(loaded, {run.name: run for run in view.runs}, "shown")
    report_unshown(loaded)
    return code


def _write_lines(view: View, printing: Printing, output: Output) -> int:
    lines = list(printing.lines(view, printing.target(output.path)))
    if not lines:
        print_error(f"{printing.label}: {printing.explain_nothing(view)}")
        return EXIT_NOTHING
    output.write_text(join_lines(lines))
    return 0


def _write_regressions(view: View, printing: Printing, output: Output) -> int:
    """Write each profile next to that of the baseline; fail if a step became slower than the options allow."""
    from tbtui.plugins.profile.comparison import compare_profiles

    arguments = printing.arguments
    if reason := explain_unsupported(arguments, arguments.plugin or find_first_with_data(view).name):
        raise NotOfKindError(reason)
    if printing.form in DRAWINGS:
        raise NotOfKindError("--baseline is written as text or markdown")
    before = Loader(parse_sources([arguments.baseline]), reload_seconds=0, jobs=arguments.jobs).load_all()
    comparison = compare_profiles(view.runs, list(before.snapshot.runs.values()), arguments.height)
    if not comparison:
        print_error(f"{printing.label}: {printing.explain_nothing(view)}")
        return EXIT_NOTHING
    blocks = [block for each in comparison for block in each.blocks]
    output.write_text(join_lines(list(render_blocks(blocks, printing.target(output.path)))))
    if arguments.max_slower is None:
        return 0
    # A profile that cannot be compared has passed no check.
    return 0 if all(each.slower <= arguments.max_slower for each in comparison) else EXIT_SLOWER


def _write_drawing(view: View, printing: Printing, output: Output) -> int:
    from tbtui.cli.print.picture import PictureOptions, print_picture

    arguments = printing.arguments
    form = cast("PictureFormat", printing.form)
    if arguments.max_runs is not None:
        return print_error("--max-runs is for text: the runs of a drawing are chosen by --runs")
    size = arguments.width, arguments.height
    options = PictureOptions(
        form,
        arguments.plugin,
        *size,
        arguments.background,
        arguments.max_tags,
        arguments.step,
        printing.label,
        printing.explain_nothing(view),
    )
    return print_picture(view, options, output.path, force=output.force)


class Printing:
    """Print snapshots one after the other; runs keep their colours and letters.

    Args:
        arguments: Result of `options.print.parse`.
    """

    def __init__(self, arguments: Namespace) -> None:
        self.arguments = arguments
        self.filters = NameFilters(arguments)
        target = self.target()
        # Only true colours are those of the palette; lines have the 16 colours of the terminal otherwise.
        self._colours = RunColours(
            colours=count_distinct_colours(is_ansi=target.depth not in ("true", "none"), dark=target.dark)
        )
        self._facts, self._lister = TagFacts(), RunLister(arguments)
        self._options: PrintOptions | None = None
        declared = list_command_settings("print")
        self._files = FollowedTextFiles(declared, apply_options(Settings(), arguments, declared))
        self._present_files: Mapping[Setting[Any], TextFile] = {}
        self.searched: Searched | None = None
        """Extent of a search that found no runs; None if it is not known."""

    def read_files(self) -> Mapping[Setting[Any], TextFile]:
        """Read again the files that options name, and return them; the next views use them."""
        self._present_files = self._files.check()
        return self._present_files

    @property
    def label(self) -> str:
        """The paths as the user gave them."""
        return " ".join(self.arguments.paths) or os.curdir

    @property
    def form(self) -> str | None:
        """Format of the option, else of the file name; None: the one that suits stdout."""
        arguments = self.arguments
        if arguments.format is not None or get_output_path(arguments.output) is None:
            form: str | None = arguments.format
            return form
        return format_of_name(arguments.output, PRINT_SUFFIXES) or "text"

    def view(self, snapshot: StoreSnapshot) -> View:
        """Return the view of a snapshot with the options of the command.

        Raises:
            PatternError: A pattern cannot be applied to these names.
        """
        arguments = self.arguments
        snapshot = self._lister.list(snapshot)
        find = find_attributes(arguments, snapshot)
        self.filters.runs(snapshot.runs, find)
        self.filters.tags(collect_tags(snapshot.runs.values()))
        settings = Settings(
            run_filter=arguments.runs or "",
            tag_filter=arguments.tags or "",
            x_axis="tag" if arguments.x_tag else arguments.x_axis,
            x_tag=arguments.x_tag or "",
            x_scale=arguments.x_scale,
            y_scale=arguments.y_scale,
            outliers=arguments.outliers,
            smoothing=arguments.smoothing,
            superseded=arguments.superseded,
        )
        settings = STATISTIC.with_value(settings, "last" if arguments.figure in (None, "end") else arguments.figure)
        settings = SESSIONS.with_value(
            settings,
            SessionSettings(
                figure=arguments.figure or "last",
                sort=arguments.sort or "",
                descending=arguments.reverse,
                grouped=arguments.group_seeds,
            ),
        )
        settings = apply_options(settings, arguments, list_command_settings("print"))
        for setting, file in self._present_files.items():
            settings = setting.with_value(settings, file)
        attributes = find() if has_term_signs(settings.run_filter) else None
        return build_view(snapshot, settings, self._colours, self._facts, attributes)

    def target(self, path: Path | None = None, *, fits: bool = False) -> OutputTarget:
        """Return the output target: stdout, or a file."""
        arguments = self.arguments
        form = cast("OutputFormat | None", self.form)
        out = sys.stdout if path is None else None
        return choose_target(
            form,
            color=arguments.color,
            width=arguments.width,
            out=out,
            environ=os.environ,
            fits_terminal=fits,
            glyphs=arguments.glyphs,
        )

    def lines(self, view: View, target: OutputTarget, height: int | None = None) -> Iterator[str]:
        """Return the lines of a print without their ends; none if nothing matches.

        Args:
            view: View of the snapshot.
            target: Output target.
            height: Rows of each chart without `--height`; None: the default.
        """
        return render_blocks(self.blocks(view, target, height), target)

    def blocks(self, view: View, target: OutputTarget, height: int | None = None) -> list[Block]:
        """Return the blocks of a print; none if nothing matches.

        Raises:
            NotOfKindError: This kind of data does not support an option.
        """
        arguments = self.arguments
        plugin = list_text_plugins()[arguments.plugin] if arguments.plugin else find_first_with_data(view)
        if not (has_data(view, plugin) if arguments.plugin else find_tags(view, plugin) or has_data(view, plugin)):
            return []
        if reason := explain_unsupported(arguments, plugin.name):
            raise NotOfKindError(reason)
        rows = arguments.height or height or target.chart_height
        before = self._options
        if before is None:
            options = PrintOptions(
                target, rows, arguments.max_tags, arguments.max_runs, arguments.step, arguments.height
            )
        else:
            options = before if (before.target, before.height) == (target, rows) else before.with_size(target, rows)
        self._options = options
        blocks = list(create_blocks(plugin, view, options))
        if arguments.plugin is None and (more := describe_other_data(view, plugin)):
            blocks.append(Notes((more,), has_blank_line=True))
        return blocks

    def explain_nothing(self, view: View) -> str:
        """Return the reason why there is nothing to print."""
        plugin = list_text_plugins()[self.arguments.plugin] if self.arguments.plugin else None
        otherwise = f"no {plugin.noun}" if plugin else "nothing that can be printed (see tbtui inspect)"
        runs = view.snapshot.runs
        tags = {name: run.series for name, run in runs.items()}
        of_kind = (
            None
            if plugin is None
            else {
                name: [
                    tag
                    for tag, series in series_by_tag.items()
                    if series.metadata.plugin_name in list_printed_names(plugin)
                ]
                for name, series_by_tag in tags.items()
            }
        )
        return explain_no_match(
            self.arguments,
            otherwise,
            has_runs=bool(runs),
            tags=tags,
            of_kind=of_kind,
            filters=self.filters,
            searched=self.searched,
        )
