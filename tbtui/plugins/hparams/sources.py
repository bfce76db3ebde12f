"""Hyperparameters of runs without a session message: JSON texts, YAML files and run names.

Hugging Face's Trainer logs its arguments as a JSON text; Lightning and Accelerate write a YAML file next to the event
files; many trainings only have their run names. Each source is read once for each revision of a run.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbtui.frozen import frozen
from tbtui.plugins.hparams.settings import CONFIG_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.store.snapshot import RunSnapshot

LOGGED, TEXT, FILE, NAME = "logged", "text", "file", "run name"
"""Sources of a value, in order of precedence."""

YAML_NAMES = ("hparams.yaml", "hparams.yml")
MAX_CONFIG_BYTES = 1 << 20
MAX_VALUES = 2_000
"""Maximum number of values of one source: a longer text is data, no setting."""

MAX_DEPTH = 16

_TIME_NAME = re.compile(r"\d{9,11}(\.\d+)?")
"""Name of a directory that a writer makes from `time.time()`."""


@frozen
class SourceValues:
    """Values of one source."""

    values: Mapping[str, HParamValue]
    source: str
    origin: str
    """Tag or file name."""

    problems: tuple[str, ...] = ()


def list_config_texts(run: RunSnapshot) -> list[str]:
    """Return the tags of a run that may hold settings as JSON."""
    return [tag for tag in CONFIG_TAGS if run.references(tag, "text") is not None]


def read_texts(run: RunSnapshot, payloads: Payloads) -> Iterator[SourceValues]:
    """Yield the settings in the texts of a run, the last of each tag; a text that is no JSON object is no setting."""
    from tbtui.plugins.text.read import TextPoint, TextReadError, read_text

    for tag in list_config_texts(run):
        series = run.references(tag, "text")
        if series is None:
            continue
        point = -1 if series.current_indices is None else int(series.current_indices[-1])
        try:
            stored = read_text(payloads, TextPoint(run, series, point % len(series)))
        except TextReadError as error:
            yield SourceValues({}, TEXT, tag, (f"{tag}: {error}",))
            continue
        document = stored.document
        content = None if document is None or len(document) > MAX_CONFIG_BYTES else _parse_json_object(document)
        if content:
            yield SourceValues(dict(flatten(content)), TEXT, tag)


def _parse_json_object(document: bytes) -> dict[str, Any] | None:
    """Return the object of a JSON text, which may be inside a Markdown code block; None for other texts."""
    text = document.decode("utf-8", "replace").strip().strip("\0")
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def flatten(content: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, HParamValue]]:
    """Yield the scalars of nested mappings, names joined by `/`; a list is its JSON text, and null is missing."""
    for key, value in list(content.items())[:MAX_VALUES]:
        name = f"{prefix}{key}"
        if isinstance(value, dict) and depth < MAX_DEPTH:
            yield from flatten(value, f"{name}/", depth + 1)
        elif isinstance(value, bool | str):
            yield name, value
        elif isinstance(value, int | float):
            yield name, _to_float(value)
        elif value is not None:
            yield name, json.dumps(value, ensure_ascii=False)


def _to_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


# YAML files


def read_file(run: RunSnapshot) -> SourceValues | None:
    """Return the settings in the `hparams.yaml` next to the event files of a run, or in a directory named by a time."""
    if not run.files:
        return None
    path = _find_yaml_file(Path(run.files[0].path).parent)
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        return SourceValues({}, FILE, path.name, (f"{path.name}: {(error.strerror or str(error)).lower()}",))
    if len(content) > MAX_CONFIG_BYTES:
        return SourceValues({}, FILE, path.name, (f"{path.name}: it has more than {MAX_CONFIG_BYTES:,} bytes",))
    values, unread_lines = read_yaml(content.decode("utf-8", "replace"))
    problems = (
        (f"{path.name}: {len(unread_lines)} of its lines were not understood, first {unread_lines[0]}",)
        if unread_lines
        else ()
    )
    return SourceValues(dict(list(values.items())[:MAX_VALUES]), FILE, path.name, problems)


def has_settings_file(run: RunSnapshot) -> bool:
    """Return True if the directory of the run has a file that `read_file` reads."""
    return bool(run.files) and _find_yaml_file(Path(run.files[0].path).parent) is not None


def _find_yaml_file(directory: Path) -> Path | None:
    for name in YAML_NAMES:
        if (directory / name).is_file():
            return directory / name
    try:
        below = sorted(child for child in directory.iterdir() if _TIME_NAME.fullmatch(child.name))
    except OSError:
        return None
    return next((child / name for child in reversed(below) for name in YAML_NAMES if (child / name).is_file()), None)


_LINE = re.compile(
    r"""(?P<indent>[ ]*)(?P<dash>-[ ]+|-$)?
        (?:(?P<key>"[^"]*"|'[^']*'|[^\s#:'"\[{&*!|>%@`-][^#]*?)\s*:(?=\s|$)\s*)?(?P<rest>.*)""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_YAML_NUMBER = re.compile(r"[-+]?(\d[\d_]*)?(\.\d*)?([eE][-+]?\d+)?")
_YAML_WORDS: Mapping[str, HParamValue | None] = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "on"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "off"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
    **dict.fromkeys((".inf", ".Inf", "inf"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-inf"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", "nan"), math.nan),
}


def read_yaml(text: str) -> tuple[dict[str, HParamValue], list[str]]:
    """Read a YAML file of settings: mappings by indentation, scalars, and lists of scalars as their JSON text.

    It does not read all of YAML: anchors, tags, blocks of text and complex keys are skipped line by line.

    Returns:
        The values, names joined by `/`; and the lines that were skipped.
    """
    reader = _YamlReader()
    for line in text.splitlines():
        bare = line if '"' in line or "'" in line else _COMMENT.sub("", line)
        if bare.strip() and not bare.lstrip().startswith("#") and bare.strip() not in {"---", "..."}:
            reader.read(bare.rstrip())
    return reader.result()


class _YamlReader:
    """Reads one file line by line."""

    def __init__(self) -> None:
        self._values: dict[str, HParamValue] = {}
        self._lists: dict[str, list[Any]] = {}
        self._unread_lines: list[str] = []
        self._stack: list[tuple[int, str]] = []
        """Indentation and name of the open mappings."""

        self._open_key: str | None = None
        """Key without a value, which a mapping or a list may follow."""

        self._unread_lines_indent: int | None = None
        """Indentation of a skipped key: deeper lines belong to it."""

    def read(self, line: str) -> None:
        """Read a line that is neither blank nor a comment."""
        match = _LINE.fullmatch(line)
        indent = len(line) - len(line.lstrip(" "))
        if self._unread_lines_indent is not None and indent > self._unread_lines_indent:
            return
        self._unread_lines_indent = None
        if match is None or (match["dash"] is None and match["key"] is None):
            self._unread_lines.append(line.strip())
        elif match["dash"] is not None:
            self._read_item(line, match)
        else:
            self._read_pair(line, indent, _strip_quotes(match["key"]), match["rest"].strip())

    def _read_item(self, line: str, match: re.Match[str]) -> None:
        if self._open_key is not None and match["key"] is None and _is_scalar(match["rest"]):
            item = _parse_scalar(match["rest"])
            value = int(item) if isinstance(item, float) and item.is_integer() else item
            self._lists.setdefault(self._open_key, []).append(value)
        else:
            self._unread_lines.append(line.strip())

    def _read_pair(self, line: str, indent: int, key: str, rest: str) -> None:
        while self._stack and self._stack[-1][0] >= indent:
            self._stack.pop()
        name = (self._stack[-1][1] if self._stack else "") + key
        self._open_key = None if rest else name
        if not rest:
            self._stack.append((indent, f"{name}/"))
        elif not _is_scalar(rest):
            self._unread_lines.append(line.strip())
            self._unread_lines_indent = indent
        elif (value := _parse_scalar(rest)) is not None:
            self._values[name] = value

    def result(self) -> tuple[dict[str, HParamValue], list[str]]:
        """Return the values and the skipped lines."""
        lists = {name: json.dumps(items, ensure_ascii=False) for name, items in self._lists.items()}
        return {**self._values, **lists}, self._unread_lines


def _is_scalar(text: str) -> bool:
    """Return True if a text is a scalar, or a list or mapping in one line."""
    text = text.strip()
    return not text or text[0] not in "&*!|>%@`"


def _parse_scalar(text: str) -> HParamValue | None:
    text = text.strip()
    if text[:1] in {'"', "'"}:
        return _strip_quotes(text)
    if text in _YAML_WORDS:
        return _YAML_WORDS[text]
    if any(map(str.isdigit, text)) and _YAML_NUMBER.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _strip_quotes(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] == "'" else text


# Run names

KEY_VALUE = r"(?:^|[/_, ])([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+){0,3})=([^/_, ]+)"
"""`lr=1e-3` in a run name."""

KEY_NUMBER = r"(?:^|[/_, -])([A-Za-z]{1,12})(\d+(?:\.\d+)?(?:e-?\d+)?)(?=$|[/_, -])"
"""`lr1e-3`, `seed0`, `b64` in a run name."""

_PAIR_PATTERNS = (re.compile(KEY_VALUE), re.compile(KEY_NUMBER))


def name_values(names: Sequence[str], pattern: str = "") -> dict[str, dict[str, HParamValue]]:
    """Return the values in run names.

    Args:
        names: Names of runs.
        pattern: Regular expression with named groups; empty: pieces `key=value` and `key<number>` are searched.
    """
    if pattern:
        return {name: values for name in names if (values := _match_groups(pattern, name))}
    return {name: values for name in names if (values := _parse_name(name))}


def _parse_name(name: str) -> dict[str, HParamValue]:
    values: dict[str, HParamValue] = {}
    for pattern in _PAIR_PATTERNS:
        for key, value in pattern.findall(name):
            values.setdefault(key, parse_value(value))
    return values


def _match_groups(pattern: str, name: str) -> dict[str, HParamValue]:
    from tbtui.settings.filters import compile_pattern

    compiled, _ = compile_pattern(pattern)
    if compiled is None:
        return {}
    try:
        match = compiled.search(name, timeout=0.05)
    except TimeoutError:
        return {}
    return {} if match is None else {key: parse_value(text) for key, text in match.groupdict().items() if text}


def parse_value(text: str) -> HParamValue:
    """Return the number that a text is, otherwise the text."""
    try:
        return float(text)
    except ValueError:
        return text
