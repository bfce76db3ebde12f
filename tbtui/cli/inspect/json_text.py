"""Render the report of `tbtui inspect --json`: one strict JSON object whose keys scripts rely on.

A log directory may have a million series. Their texts are written from the columns of each run, without an object for
each of them.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import lru_cache
from itertools import chain, islice, repeat
from json.encoder import encode_basestring_ascii as quoted
from operator import add
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.formats import to_json_number
from tbtui.maths.float_texts import format_floats
from tbtui.plugins.registry import describe_run_assets
from tbtui.run_health.ages import guess_time_unit
from tbtui.store.event_files import get_plain_columns
from tbtui.store.run_series import get_plain_table
from tbtui.store.scalar_table import SCALARS
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.cli.inspect.report import PluginShare, RunReport
    from tbtui.loading.assets import RunAssets
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.session_checks import SessionChecks
    from tbtui.plugins.hparams.sessions import RunHParams
    from tbtui.run_health.history import Gaps, Restart
    from tbtui.store.scalar_table import ScalarTable, TagList
    from tbtui.store.snapshot import AssetFile, EventFile


NO_RUNS_ABOVE: Mapping[str, str] = MappingProxyType({})


def iter_json_chunks(
    logdir: str,
    reports: Iterable[RunReport],
    assets: Iterable[RunAssets] = (),
    above: Mapping[str, str] = NO_RUNS_ABOVE,
) -> Iterator[str]:
    """Yield the text of the object, one run at a time.

    Args:
        logdir: The paths as the user gave them.
        reports: Reports of the runs, consumed one by one.
        assets: Embeddings and profiles beside the event files.
        above: Run that each run is folded into, for runs that only hold the hyperparameters of another one.
    """
    # The lines of indented JSON would take most of the time for runs of many tags.
    yield f'{{"logdir": {json.dumps(logdir)}, "runs": {{'
    separator = ""
    for group in _grouped(reports):
        file_texts = _FileTexts([report.run.files for report in group])
        for number, report in enumerate(group):
            run = report.run
            files, time_texts = file_texts.of(number)
            facts = _run(report, above.get(run.name), time_texts)
            yield f'{separator}{quoted(run.name)}: {{{facts}, "files": [{files}], '
            yield f'"set_aside": {json.dumps([asdict(file) for file in run.set_aside]) if run.set_aside else "[]"}, '
            yield f'"assets": {json.dumps(list(map(_encode_asset, run.assets))) if run.assets else "[]"}, '
            if run.assets:
                yield f'"asset_notes": {json.dumps(list(describe_run_assets(run)))}, '
            yield '"tags": {'
            yield from _tag_texts(report)
            yield "}}"
            separator = ", "
    listed = {entry.run: asdict(entry) | {"descriptions": entry.descriptions} for entry in assets}
    yield f'}}, "assets": {json.dumps(listed)}}}\n'


MAX_GROUP_ITEMS = 1000
"""Number of files and tags at which a group of runs ends: the numbers of their files become text together."""


def _grouped(reports: Iterable[RunReport]) -> Iterator[list[RunReport]]:
    group: list[RunReport] = []
    items = 0
    for report in reports:
        group.append(report)
        items += len(report.run.files) + len(report.run.series)
        if items >= MAX_GROUP_ITEMS:
            yield group
            group, items = [], 0
    if group:
        yield group


_encode = json.JSONEncoder(allow_nan=False).encode


def _run(report: RunReport, above: str | None, time_texts: Mapping[float | None, str]) -> str:
    """Return the members of the object of a run, without its tags.

    Args:
        report: Facts of the run.
        above: The run it is folded into.
        time_texts: Texts of wall times: most gaps begin and end with a file.
    """
    run, summary, history = report.run, report.summary, report.history
    trouble = summary.trouble
    named = None if trouble is None else {"kind": trouble.kind, "tag": trouble.tag, "step": trouble.step}
    rate = None if summary.pace is None else summary.pace.rate
    last_step = "null" if run.last_step is None else run.last_step
    restarts = ", ".join(map(_restart, history.restarts))
    gaps = _encode_gaps(history.gaps, time_texts)
    plugins = ", ".join(map(_share, report.plugins.items()))
    return (
        f'"state": {_text(report.state)}, "trouble": {"null" if named is None else _encode(named)}, '
        f'"last_step": {last_step}, "first_wall_time": {_number(run.first_wall_time)}, '
        f'"last_wall_time": {_number(run.last_wall_time)}, "clock_offset": {_number(report.clock_offset)}, '
        f'"wall_time_unit": {_text(guess_time_unit(run.last_wall_time) or "seconds")}, '
        f'"steps_per_second": {_number(rate)}, '
        f'"restart_count": {history.restart_count}, "restarts": [{restarts}], "gap_count": {history.gap_count}, '
        f'"gaps": [{gaps}], "hparams": {_encode_hparams(report.hparams, report.checks)}, "plugins": {{{plugins}}}, '
        f'"folded_into": {"null" if above is None else quoted(above)}'
    )


@lru_cache(256)
def _text(word: str) -> str:
    """Return a word that many runs share as JSON."""
    return quoted(word)


def _share(entry: tuple[str, PluginShare]) -> str:
    plugin, share = entry
    size = "null" if share.bytes is None else share.bytes
    return f'{_text(plugin)}: {{"tags": {share.tags}, "values": {share.values}, "bytes": {size}}}'


def _restart(restart: Restart) -> str:
    from_step, to_step, wall_time, tags = restart.from_step, restart.to_step, restart.wall_time, restart.tags
    return f'{{"from_step": {from_step}, "to_step": {to_step}, "wall_time": {_number(wall_time)}, "tags": {tags}}}'


def _encode_gaps(gaps: Gaps, time_texts: Mapping[float | None, str]) -> str:
    """Return the elements of the array of the gaps of a run; a run of many files has many."""
    text_of = time_texts.get
    return ", ".join(
        [
            f'{{"kind": "{kind}", "after_step": {after_step}, "before_step": {before_step}, '
            f'"after_wall_time": {text_of(after) or _number(after)}, '
            f'"before_wall_time": {text_of(before) or _number(before)}}}'
            for kind, after_step, before_step, after, before in zip(*gaps.columns, strict=True)
        ]
    )


def _encode_hparams(hparams: RunHParams, checks: SessionChecks) -> str:
    if hparams.start is None:
        return "null"
    status = "null" if hparams.status is None else _text(hparams.status)
    return (
        f'{{"values": {_values(hparams.values)}, "status": {status}, "group": {_text(hparams.start.group_name)}, '
        f'"sessions": {hparams.sessions}, "changed": {_list(hparams.changed)}, "problems": {_list(hparams.problems)}, '
        f'"declared_but_never_written": {_list(checks.never_written)}, '
        f'"outside_domain": {_list(checks.outside_domain)}, "logged_at_step_0": {_list(checks.at_step_0)}}}'
    )


def _list(texts: Sequence[str]) -> str:
    return _encode(list(texts)) if texts else "[]"


def _values(values: Mapping[str, HParamValue]) -> str:
    """Return hyperparameters as JSON; a log directory may have hundreds of thousands."""
    numbers = [value for value in values.values() if value.__class__ is float]
    if len(numbers) == len(values) and all(map(math.isfinite, numbers)):
        pairs = map(add, _encode_heads(tuple(values)), map(repr, numbers))
        return f"{{{', '.join(pairs)}}}"
    return _encode({name: plain(value) for name, value in values.items()})


@lru_cache(256)
def _encode_heads(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the beginning of each member of an object; most sessions of a search have the same names."""
    return tuple(f"{quoted(name)}: " for name in names)


def plain(value: HParamValue) -> bool | float | str:
    """Return a hyperparameter as a JSON value."""
    return to_json_number(value) if isinstance(value, float) else value  # type: ignore[return-value]


class _FileTexts:
    """Texts of the files of several runs; a log directory may have tens of thousands."""

    def __init__(self, files_of_runs: Sequence[Sequence[EventFile]]) -> None:
        self._files_of_runs = files_of_runs
        self._columns = list(map(get_plain_columns, files_of_runs))
        plain = [columns for columns in self._columns if columns is not None]
        modified = np.array([time for columns in plain for time in columns.modified_ns], np.float64) / 1e9
        self._firsts = iter(_time_texts([time for columns in plain for time in columns.first_wall_times]))
        self._lasts = iter(_time_texts([time for columns in plain for time in columns.last_wall_times]))
        self._modified = iter(format_floats(modified))

    def of(self, number: int) -> tuple[str, Mapping[float | None, str]]:
        """Return the elements of the array of the files of a run, and texts of their wall times.

        Called once for each run, in order.
        """
        columns = self._columns[number]
        if columns is None:
            return ", ".join(map(_file, self._files_of_runs[number])), _NO_TEXTS
        paths, sizes, records, writers, firsts, lasts, modified = columns
        count = len(paths)
        first_texts, last_texts = list(islice(self._firsts, count)), list(islice(self._lasts, count))
        writer_texts = {name: "null" if name is None else quoted(name) for name in set(writers)}
        rows = zip(
            paths if _are_plain(paths) else [quoted(path)[1:-1] for path in paths],
            sizes,
            records,
            map(writer_texts.__getitem__, writers),
            first_texts,
            last_texts,
            modified,
            islice(self._modified, count),
            strict=True,
        )
        texts = [
            f'{{"path": "{path}", "bytes": {size}, "records": {record_count}, "writer": {writer}, '
            f'"first_wall_time": {first}, "last_wall_time": {last}, '
            f'"state": "ok", "problems": [], "modified": {text if time else "null"}}}'
            for path, size, record_count, writer, first, last, time, text in rows
        ]
        times = dict(zip(chain(firsts, lasts), chain(first_texts, last_texts), strict=True))
        times.pop(0.0, None)  # which equals -0.0
        return ", ".join(texts), times


_NO_TEXTS: Mapping[float | None, str] = MappingProxyType({})


def _are_plain(paths: Sequence[str]) -> bool:
    """Return True if paths are written as they are: without quotes, backslashes, and what is not printable ASCII."""
    joined = "".join(paths)
    if not joined.isascii() or '"' in joined or "\\" in joined:
        return False
    codes = np.frombuffer(joined.encode(), np.uint8)
    return not ((codes < ord(" ")) | (codes > ord("~"))).any()


_MAX_WHOLE = 1e15
"""Whole numbers below this are written as integers. Python writes an exponent from 1e16 on only, so texts are equal."""


def _time_texts(times: Sequence[float | None]) -> list[str]:
    """Return the texts of wall times."""
    column = np.array(times, np.float64)  # None becomes NaN
    if not np.isfinite(column).all():
        return list(map(_number, times))
    if ((column > 0) & (column < _MAX_WHOLE) & (column == np.floor(column))).all():
        # Whole seconds, as some programs log them, are written faster as integers.
        return [f"{second}.0" for second in column.astype(np.int64).tolist()]
    return format_floats(column)


def _file(file: EventFile) -> str:
    writer = "null" if file.writer is None else quoted(file.writer)
    problems = json.dumps([asdict(problem) for problem in file.problems]) if file.problems else "[]"
    return (
        f'{{"path": {quoted(file.path)}, "bytes": {file.bytes}, "records": {file.records}, "writer": {writer}, '
        f'"first_wall_time": {_number(file.first_wall_time)}, "last_wall_time": {_number(file.last_wall_time)}, '
        f'"state": "{file.state}", "problems": {problems}, "modified": {_number(file.modified)}}}'
    )


def _encode_asset(asset: AssetFile) -> dict[str, Any]:
    return {
        "kind": asset.kind,
        "tag": asset.tag,
        "path": asset.path,
        "bytes": asset.bytes,
        "modified": to_json_number(asset.modified),
    }


def _number(value: float | None) -> str:
    """Return a number, or its spelling if it is not finite, as JSON."""
    if value is None:
        return "null"
    if math.isfinite(value):
        return repr(value)
    return json.dumps(to_json_number(value))


def _tag_texts(report: RunReport) -> Iterator[str]:
    """Yield the members of the object `tags`, with the commas between them."""
    series_by_tag = report.run.series
    table = get_plain_table(series_by_tag)
    texts: Sequence[str]
    if table is None or len(table.steps) < MIN_COLUMN:
        texts = [_member(report, tag) for tag in series_by_tag]
    else:
        has_few = len(table.scalar_names) < MIN_COLUMN_TAGS
        texts = _format_few_scalars(table, report) if has_few else _table_texts(table, report)
        if len(texts) < len(series_by_tag):
            known = dict(zip(table.scalar_names, texts, strict=True))
            texts = [known.get(tag) or _member(report, tag) for tag in series_by_tag]
    yield ", ".join(texts)


MIN_COLUMN = 100
"""The tags of fewer points are written faster one by one."""

MIN_COLUMN_TAGS = 16
"""Fewer tags than this are written one by one, which is faster than columns."""


def _member(report: RunReport, tag: str) -> str:
    series = report.run.series[tag]
    steps, times = series.steps, series.wall_times
    count, superseded = steps.size, report.superseded.get(tag, 0)
    head = _head(tag, series.metadata.plugin_name, count, superseded)
    first_time = _number(times.item(0))
    if count == 1:
        step = steps.item(0)
        text = (
            f'{head}"first_step": {step}, "last_step": {step}, '
            f'"first_wall_time": {first_time}, "last_wall_time": {first_time}'
        )
    else:
        text = (
            f'{head}"first_step": {steps.item(0)}, "last_step": {series.last_step}, '
            f'"first_wall_time": {first_time}, "last_wall_time": {_number(times.item(-1))}'
        )
    if not isinstance(series, ScalarSeries):
        return text + "}"
    extent = report.extents.get(tag)
    if extent is None:
        return text + "}"
    return f"{text}, {_extent(series.values.item(0), series.last_value, extent)}}}"


def _extent(first: float, last: float | None, extremes: ScalarExtremes) -> str:
    """Return the members about the values of a scalar series."""
    least, greatest, nan, inf = extremes
    return (
        f'"first": {_number(first)}, "last": {_number(last)}, '
        f'"min": {_number(least)}, "max": {_number(greatest)}, "nan": {nan}, "inf": {inf}'
    )


def _format_few_scalars(table: ScalarTable, report: RunReport) -> list[str]:
    """Return the text of `_member` for each scalar; creates no series for a tag whose steps ascend."""
    has_points = table.counts > 0
    first, last = table.starts[:-1][has_points], table.starts[1:][has_points] - 1
    columns: list[npt.NDArray[Any]] = [table.is_ascending[has_points], table.lengths]
    columns += [column[ends] for column in (table.steps, table.wall_times, table.values) for ends in (first, last)]
    superseded, extents = report.superseded, report.extents
    return [
        f'{_head(tag, SCALARS, count, superseded.get(tag, 0))}"first_step": {first_step}, "last_step": {last_step}, '
        f'"first_wall_time": {_number(begin)}, "last_wall_time": {_number(end)}, '
        f"{_extent(value, last_value, extents[tag])}}}"
        if is_ascending
        else _member(report, tag)
        for tag, is_ascending, count, first_step, last_step, begin, end, value, last_value in zip(
            table.scalar_names, *(column.tolist() for column in columns), strict=True
        )
    ]


@lru_cache(1024)
def _head(tag: str, plugin: str, count: int, superseded: int) -> str:
    """Return the first members of the object of a tag; runs of a search share most of them."""
    return f'{quoted(tag)}: {{"plugin": {quoted(plugin)}, "count": {count}, "superseded": {superseded}, '


def _table_texts(table: ScalarTable, report: RunReport) -> list[str]:
    """Return the same as `_member` for each scalar, all at once: a run may have thousands of them."""
    has_points = table.counts > 0
    first, last = table.starts[:-1][has_points], table.starts[1:][has_points] - 1
    extents = report.extents.found
    last_steps, last_values = table.steps[last], table.values[last]
    for index in np.flatnonzero(~table.is_ascending[has_points]).tolist():
        series = report.run.series[table.scalar_names[index]]
        if isinstance(series, ScalarSeries):
            last_steps[index], last_values[index] = series.last_step or 0, series.last_value or 0.0
    texts = _ValueTexts(table.values[first], last_values)
    low, high = texts.indices_of(extents.minimum), texts.indices_of(extents.maximum)
    since, until = (texts.add(table.wall_times[which]) for which in (first, last))
    written = texts.written()
    superseded = report.superseded
    lost = np.array([superseded.get(tag, 0) for tag in table.scalar_names] if superseded else [0] * len(first))
    counts = _joined_texts(
        ("", table.counts[has_points]),
        (', "superseded": ', lost),
        (', "first_step": ', table.steps[first]),
        (', "last_step": ', last_steps),
    )
    others = _joined_texts((', "nan": ', extents.nan), (', "inf": ', extents.inf))
    names = (
        _encode_scalar_heads(table.tags)
        if table.has_all
        else [_encode_scalar_head(name) for name in table.scalar_names]
    )
    count = len(first)
    return [
        f'{name}{numbers}, "first_wall_time": {begin}, "last_wall_time": {end}, "first": {value}, '
        f'"last": {last_value}, "min": {written[minimum]}, "max": {written[maximum]}{rest}}}'
        for name, numbers, begin, end, value, last_value, minimum, maximum, rest in zip(
            names,
            counts,
            written[since : since + count],
            written[until : until + count],
            written,
            written[count : 2 * count],
            low.tolist(),
            high.tolist(),
            others,
            strict=False,
        )
    ]


def _joined_texts(*columns: tuple[str, npt.NDArray[np.int64]]) -> Iterable[str]:
    """Return the numbers of several columns, each with its label, as one text for each row.

    Most runs log all their tags equally often, so that the text is the same for all of them.
    """
    if all(len(numbers) and (numbers == numbers[0]).all() for _, numbers in columns):
        return repeat("".join(f"{label}{numbers[0]}" for label, numbers in columns))
    texts = [[f"{label}{number}" for number in numbers.tolist()] for label, numbers in columns]
    return map("".join, zip(*texts, strict=True))


class _ValueTexts:
    """Texts of several columns of numbers, written together and each once: most extremes are first or last values."""

    def __init__(self, firsts: npt.NDArray[np.float64], lasts: npt.NDArray[np.float64]) -> None:
        """Begin with the first and the last value of n series; their texts are the first 2 n."""
        self._firsts, self._lasts = firsts, lasts
        self._columns = [firsts, lasts]
        self._count = 2 * len(firsts)

    def add(self, values: npt.NDArray[np.float64]) -> int:
        """Add a column; return the index of its first text."""
        begin = self._count
        self._columns.append(values)
        self._count += len(values)
        return begin

    def indices_of(self, extremes: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the index of the text of each extreme; -1 for NaN, of a series without finite values."""
        bits, count = extremes.view(np.int64), len(extremes)
        indices = np.arange(count)
        is_last = bits == self._lasts.view(np.int64)
        indices[is_last] += count
        others = np.flatnonzero(~is_last & (bits != self._firsts.view(np.int64)))
        indices[others] = self.add(extremes[others]) + np.arange(len(others))
        indices[np.isnan(extremes)] = -1
        return indices

    def written(self) -> list[str]:
        """Return all texts as JSON, and `null` as the last one."""
        values = np.concatenate(self._columns)
        texts = format_floats(values)
        for index in np.flatnonzero(~np.isfinite(values)).tolist():
            texts[index] = _number(values.item(index))
        texts.append("null")
        return texts


@lru_cache(16)
def _encode_scalar_heads(tags: TagList) -> list[str]:
    return list(map(_encode_scalar_head, tags.names))


def _encode_scalar_head(tag: str) -> str:
    return f'{json.dumps(tag)}: {{"plugin": "{SCALARS}", "count": '
