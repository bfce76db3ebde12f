"""Write logs with something for every tab, valid or damaged, always the same bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tests.helpers.audio_logs import new as sounds
from tests.helpers.curve_snapshots import PLUGIN as PR_CURVES
from tests.helpers.curve_snapshots import curve
from tests.helpers.graph_logs import keras_model, torch_model
from tests.helpers.histogram_logs import NORMAL, value_of
from tests.helpers.image_logs import encoded
from tests.helpers.log_directory import FILE, START
from tests.helpers.session_logs import log_session
from tests.helpers.sounds import sine, wav
from tests.helpers.text_logs import strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

STEPS = 12
"""Written at first; a step is logged every ten seconds."""

RUNS = ("adam/seed0", "adam/seed1", "sgd")
WITHOUT_TEXT, WITH_TEXT_ALONE = "numbers", "words"
"""Runs that hold one kind of data each."""

GRAPH_RUN = RUNS[0]
NASTY_TAG = "evil/[bold]\x1b[31m\u202etag\n" + "long_" * 12

NOTES = """# What was tried

* a **lower** rate, see `rate.py`
* another seed

| run | loss |
| --- | ---: |
| adam | 0.21 |
| sgd | 0.34 |
"""

LAYOUTS = "custom_scalars"
KINDS = ("scalars", "images", "audio", "histograms", "text", "pr_curves", "graphs", "custom_scalars")
"""Names of plugins as they stand in files."""


def write(root: Path) -> None:
    """Runs that do well: two of one folder, another, and two that hold numbers and words alone."""
    for run in RUNS:
        write_steps(root, run, range(STEPS))
    for run, model in zip(RUNS, (torch_model().SerializeToString(), keras_model()), strict=False):
        _append(root, run, [_graph(model)])
    _append(root, RUNS[0], [_layout(("losses", "loss/train", "loss/val"), ("closed", "acc"))])
    _append(root, WITHOUT_TEXT, [_event("loss/train", 1, _scalar(0.5))])
    _append(root, WITH_TEXT_ALONE, [_event("notes", 1, _text("only words"))])


def write_sessions(root: Path) -> None:
    """Write a search: groups of seeds, a training that diverged, one that failed, and one without a metric."""
    for number in range(24):
        rate, name = 10 ** (-4 + number % 8 * 0.5), f"t{number:02}"
        loss = 0.2 + abs(math.log10(rate) + 2) * 0.3 + number // 8 * 0.01
        values = [2.0, 1.2 * loss, math.nan if number == 7 else loss]
        hparams = {"lr": rate, "opt": ("adam", "sgd")[number % 2], "seed": number // 8 * 1.0, "width": 64.0}
        curves = {} if number == 23 else {"val/loss": values, "val/acc": [0.1, 0.4, 1 - loss / 4]}
        status = "failure" if number == 5 else "success"
        log_session(root, name, hparams, curves, metrics=("val/loss", "val/acc"), start=START, status=status)


def write_bad_sessions(root: Path) -> None:
    """Write sessions whose values are odd, and a run whose message is no session."""
    odd = {"lr": math.nan, "[bold]x\x1b[31m": "evil\u202etext", "": "", "long_" * 12: "value " * 20}
    log_session(root, "odd/[red]run", odd, {"loss": [math.nan], NASTY_TAG: [math.inf]}, start=START)
    log_session(root, "mixed", {"lr": "high"}, {"loss": [1.0, 0.5]}, start=START, status="failure")
    log_session(root, "nothing", {}, {}, start=START)
    event: Any = get_message_class("Event")(wall_time=START, step=0)
    value = event.summary.value.add(tag="_hparams_/session_start_info")
    value.metadata.plugin_data.plugin_name = "hparams"
    value.metadata.plugin_data.content = b"\xff no session"
    path = root / "unreadable" / FILE
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        writer.event(event)
        writer.scalar("loss", 1.0, 1, START)


def write_steps(root: Path, run: str, steps: range) -> None:
    """Append steps to a run."""
    _append(root, run, (_event(tag, step, value) for step in steps for tag, value in _logged(run, step)))


def write_bad(root: Path) -> None:
    """A run of which nothing can be drawn as it should, and a file that is damaged and then ends within a record."""
    _append(root, "broken", _bad_events())
    _append(root, "broken", [_graph(b"\x0a\xff\xff\xff\x7f no graph")])
    _append(root, "broken", [_layout(("bad", "loss/(", "nowhere", "loss/nan"), ("empty",))])
    _append(
        root, "torn", [_event("custom_scalars__config__", 0, _tensor(np.array(b"\xff no layout", object), LAYOUTS))]
    )
    path = _append(root, "torn", [_event("loss/train", step, _scalar(step)) for step in range(4)])
    data = bytearray(path.read_bytes())
    data[data.index(b"loss/train") - 40] ^= 0xFF
    path.write_bytes(data[:-7])


def _append(root: Path, run: str, events: Any) -> Path:
    path = root / run / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for event in events:
            writer.event(event)
    return path


def _event(tag: str, step: int, value: Any) -> Any:
    value.tag = tag
    event = get_message_class("Event")(wall_time=START + 10 * step, step=step)
    event.summary.value.append(value)
    return event


def _graph(held: bytes | Mapping[str, Any]) -> Any:
    event = get_message_class("Event")(wall_time=START)
    if isinstance(held, bytes):
        event.graph_def = held
        return event
    import json

    return _event("keras", 0, _tensor(np.array(json.dumps(held).encode(), object), "graph_keras_model", b"1"))


def _tensor(array: Any, plugin: str, content: bytes = b"") -> Any:
    value = get_message_class("SummaryValue")(tensor=make_tensor(array))
    value.metadata.plugin_data.plugin_name = plugin
    value.metadata.plugin_data.content = content
    return value


def _scalar(number: float) -> Any:
    return get_message_class("SummaryValue")(simple_value=number)


def _text(held: Any) -> Any:
    return _tensor(strings(held), "text")


def _image(*files: bytes) -> Any:
    rows = np.empty(len(files) + 2, object)
    rows[:] = [b"16", b"12", *files]
    return _tensor(rows, "images")


def _logged(run: str, step: int) -> Iterator[tuple[str, Any]]:
    """What a training logs at a step."""
    pace = 1 + RUNS.index(run) / 4 if run in RUNS else 2
    yield "loss/train", _scalar(2.3 * math.exp(-step / 4 / pace) + 0.1)
    yield "loss/val", _scalar(2.4 * math.exp(-step / 5 / pace) + 0.2 + 0.05 * math.sin(step))
    yield "acc", _scalar(1 - 0.9 * math.exp(-step / 6 / pace))
    if step % 4:
        return
    yield "weights/fc1", value_of("", _buckets(NORMAL * (0.2 + step / 10)))
    yield "weights/fc2", value_of("", _buckets(NORMAL * 0.3 + step / 40))
    yield "samples", _image(encoded(_gradient(step, pace)))
    yield "speech", sounds((wav(sine(220 * pace + 20 * step, 0.1)), "a **tone**"))
    yield "pr/cat", _tensor(curve(thresholds=5 + step).astype(np.float32), PR_CURVES)
    yield "notes", _text(NOTES + f"\nAt step {step} all is well.\n")
    yield "table", _text([["rate", f"1e-{step // 4 + 1}"], ["seed", run[-1:]]])


def _buckets(values: Any) -> Any:
    counts, edges = np.histogram(values, 8)
    return np.column_stack([edges[:-1], edges[1:], counts])


def _gradient(step: int, pace: float) -> Any:
    """uint8[12, 16, 3]"""
    y, x = np.mgrid[:12, :16]
    return np.stack([x * 16, y * 20, np.full_like(x, min(step * 10 * pace, 255))], -1).astype(np.uint8)


def _layout(*categories: tuple[str, ...]) -> Any:
    """A layout: of each category the title and the tags of its only chart; one called closed is folded."""
    layout = get_message_class("Layout")()
    for title, *tags in categories:
        category = layout.category.add(title=title, closed=title == "closed")
        category.chart.add(title=f"chart of {title}").multiline.tag.extend(tags)
    return _event("custom_scalars__config__", 0, _tensor(np.array(layout.SerializeToString(), object), LAYOUTS))


def _bad_events() -> Iterator[Any]:
    png = encoded(_gradient(0, 1))
    good = wav(sine(440, 0.05))
    curves = curve(thresholds=5).astype(np.float32)
    bad: dict[str, tuple[Any, ...]] = {
        "loss/nan": tuple(map(_scalar, (math.nan,) * 3)),
        "loss/inf": tuple(map(_scalar, (math.inf, -math.inf, 1e38, -1e38))),
        NASTY_TAG: tuple(map(_scalar, (1.0, 2.0))),
        "no/picture": (_image(b"no picture"), _image(png[:40])),
        "no/pixels": (_image(_huge(png)), _image()),
        "no/sound": (sounds((b"no sound", "")), sounds((good[:30], "cut"))),
        "no/samples": (sounds(), sounds((wav(sine(440, 0)), "silence"))),
        "no/buckets": tuple(value_of("", rows) for rows in (np.zeros((2, 2)), np.full((3, 3), math.nan))),
        "no/edges": (value_of("", np.array([[3.0, 1.0, -2.0]])),),
        "no/curve": (_tensor(curves[:3], PR_CURVES), _tensor(np.full_like(curves, np.nan), PR_CURVES)),
        "no/letters": (_text(b"\xff\xfe \x1b[31m\x07 bytes"), _text("")),
        "no/strings": (_tensor(np.arange(6.0).reshape(2, 3), "text"),),
    }
    for tag, values in bad.items():
        for step, value in enumerate(values):
            yield _event(tag, step, value)


def _huge(png: bytes) -> bytes:
    """A picture that says that it is four thousand million pixels wide."""
    place = png.index(b"IHDR") + 4
    return png[:place] + b"\xff\xff\xff\xf0" + png[place + 4 :]
