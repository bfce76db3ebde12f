"""Write event files whose names and texts attack the terminal that shows them.

The sequences are between plain words that begin with `see`, so that a test finds them on the screen. They have
parameters that tbtui itself never writes, so that a test can recognise them in its output.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tests.helpers.curve_snapshots import curve
from tests.helpers.graph_bytes import call, encoded, graph, layer, model, node
from tests.helpers.image_logs import RED, plain
from tests.helpers.image_logs import encoded as picture
from tests.helpers.sounds import sine, wav
from tests.helpers.step_stats import Ran, step_stats

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = 1_790_000_000.0
STEPS = 12

SEQUENCES = (
    "\x1b]0;OWNED\x07\x1b]2;OWNED\x1b\\\x1b]52;c;T1dORUQ=\x07\x1b]8;;http://OWNED\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[5;8;53m\x1b[6n\x1b[?1337h\x1b[!p\x1b[8;9;9t\x1b[99;1H\x1b[99b\x1bc\x1b#8\x1b(0\x1b7",
    "\x1bP+qOWNED\x1b\\\x1bP0q#0~\x1b\\\x1b_Ga=T,f=24,s=1,v=1;/wAA\x1b\\\x1b^OWNED\x1b\\\x1bXOWNED\x1b\\",
    "\x9b5;8m\x9b2J\x9d0;OWNED\x9c\x90OWNED\x9c\x9fGa=T;\x9c\x85\x84\x8d",
    "\x00\x05\x07\x08\x0b\x0c\x0e\x0f\x18\x1a\x7f\r\n\t",
    "\u202e\u202d\u202a\u2066\u2067\u2068\u200e\u200f\u061c\u2028\u2029\ufff9\ufffb",
    "\u200b\u200c\u200d\ufeff\u2060\u00ad\u180e\u034f\u115f\u3164\uffa0\ufe0f\ufe0e\U000e0100\U000e0041\U000e007f",
    "\U0010eeee\u0305\u0305\U0010eeee\ue000\U000ffffd\ufffe\U0010ffff\U000378ff",
    "[blink]m[/blink][@click=app.quit]c[/][link=http://OWNED]l[/link][/]\\[",
    "漢字ａ한👩\u200d👩\u200d👧👍🏽🇩🇪❤\ufe0f🏴\U000e0067\U000e007f1\ufe0f\u20e3",
    "e\u0301" + "z\u0300\u0316\u0336\u0489" * 4 + "\u1100\u1161\u11a8" + "क्षि" + "ﷺ" + "עברית العربية",
)
"""One per kind: OSC; CSI and other escapes; DCS, APC, PM, SOS; C1; C0; bidirectional; zero width; private use; markup;
wide; composed."""

RAW = b"\x9b5;8m\x9d0;OWNED\x9c\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"
"""Bytes that are not UTF-8, among them those of C1 controls."""

_RAW_STANDS_IN = "RAWBYTES" + "x" * (len(RAW) - 8)


class _Raw:
    """A message with bytes that are not valid text."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def SerializeToString(self) -> bytes:  # noqa: N802 - as protobuf calls it
        data: bytes = self._made.SerializeToString()
        return data.replace(_RAW_STANDS_IN.encode(), RAW)


def hostile(word: str, number: int | None = None) -> str:
    """Return a name that begins with a plain word, with all sequences or one of them."""
    return word + ("".join(SEQUENCES) if number is None else SEQUENCES[number % len(SEQUENCES)]) + "end"


def log_hostile(root: Path) -> None:
    """Write two runs with values for every tab."""
    raw = os.fsdecode(RAW)
    named = hostile("see-run").replace("/", "").replace("\0", "")
    for number, name in enumerate((os.fsencode(named)[:180], os.fsencode(f"see-raw{raw}z\u0300\ufe0f\u202e漢"))):
        path = root / os.fsdecode(name) / f"events.out.tfevents.1790000000.{SEQUENCES[1][:30]}{raw}"
        path.parent.mkdir(parents=True)
        _write(path, number)
        with path.open("ab") as file:
            file.write(b"no record" * 9)


def log_value(root: Path, tag: str, value: float) -> None:
    """Append one number to each run, after all others."""
    for path in root.glob("*/*"):
        with EventFileWriter(str(path)) as writer:
            event = get_message_class("Event")(wall_time=START + STEPS, step=STEPS)
            event.summary.value.append(_tagged(tag, "scalars", np.float32(value)))
            writer.event(event)


def _write(path: Path, run: int) -> None:
    with EventFileWriter(str(path), wall_time=START) as writer:
        first = get_message_class("Event")(wall_time=START, file_version="brain.Event:2")
        first.source_metadata.writer = hostile("see-writer")
        writer.event(first)
        for step in range(STEPS):
            for value in _values(step + run):
                event = get_message_class("Event")(wall_time=START + step, step=step)
                event.summary.value.append(value)
                writer.event(_Raw(event))
        for event in _graphs():
            writer.event(_Raw(event))


def _values(step: int) -> Iterator[Any]:
    for number in range(len(SEQUENCES)):
        yield _tagged(hostile(f"see-scalar{number}", number), "scalars", np.float32(step + number))
    yield _tagged(hostile("see-scalars"), "scalars", np.float32(1 / (step + 1)))
    yield _tagged(f"see-raw{_RAW_STANDS_IN}", "scalars", np.float32(step))
    yield _tagged("see-long/" + "漢x" * 2000, "scalars", np.float32(step))
    yield _tagged(hostile("see-hist"), "histograms", np.array([[0, 1, step], [1, 2, 3.0]]))
    pictures = np.empty(3, object)
    pictures[:] = hostile("8").encode(), b"8", picture(plain(RED))
    yield _tagged(hostile("see-image"), "images", pictures)
    broken = np.empty(3, object)
    broken[:] = b"8", b"8", hostile("see-broken").encode()
    yield _tagged(hostile("see-broken-image"), "images", broken)
    sounds = np.empty((1, 2), object)
    sounds[0] = wav(sine(440, 0.05)), hostile("see-label").encode() + RAW
    yield _tagged(hostile("see-audio"), "audio", sounds, b"\x10\x0b")
    yield _tagged(hostile("see-text"), "text", np.array(_markdown().encode() + RAW, object))
    yield _tagged(hostile("see-curve"), "pr_curves", curve())


def _markdown() -> str:
    nasty = "".join(SEQUENCES)
    return "\n\n".join(
        (
            f"# see-title {nasty}",
            f"see-words [see-link](http://OWNED/{nasty}) ![see-picture](http://OWNED/p.png) <http://OWNED>",
            '<img src="http://OWNED/x.png"><script>see-script</script><a href="file:///etc/passwd">see-html</a>',
            f"```python {nasty}\nsee-code {nasty}\n```",
            f"| see-head | b |\n| --- | --- |\n| {SEQUENCES[9]}{SEQUENCES[10]} | {SEQUENCES[3]} |",
            f"> see-quote {nasty}",
            f"- see-item {nasty}",
        )
    )


def _tagged(tag: str, plugin: str, array: Any, content: bytes = b"") -> Any:
    value = get_message_class("SummaryValue")(tag=tag, tensor=make_tensor(np.asarray(array)))
    value.metadata.plugin_data.plugin_name = plugin
    value.metadata.plugin_data.content = content
    value.metadata.display_name = hostile("see-display") if plugin in {"histograms", "pr_curves"} else ""
    value.metadata.summary_description = hostile("see-description") + _RAW_STANDS_IN + _markdown()
    return value


def _graphs() -> Iterator[Any]:
    names = [f"{hostile(f'see-scope{number}', number)}/{hostile('see-node')}".replace("\0", "") for number in range(11)]
    device = hostile("/device:GPU:0")
    nodes = [node(names[0], hostile("see-op"), device=device, see=hostile("see-value"), raw=RAW)]
    nodes += [
        node(name, hostile("see-op"), before, device=device, shapes=((1, 2),), see=hostile("see-value"))
        for before, name in pairwise(names)
    ]
    nodes.append(node(f"see-raw{_RAW_STANDS_IN}", "Op", names[0]))
    yield get_message_class("Event")(wall_time=START, graph_def=graph(*nodes).SerializeToString())
    event = get_message_class("Event")(wall_time=START)
    event.tagged_run_metadata.tag = hostile("see-profile")
    ran = [Ran(name, 1000 * number, 500, label=hostile("see-label")) for number, name in enumerate(names)]
    event.tagged_run_metadata.run_metadata = step_stats({device: ran}, {device: {0: hostile("see-thread")}})
    yield event
    keras = model(
        layer("InputLayer", hostile("see-in"), calls=[], batch_shape=[None, 8]),
        layer(hostile("see-class"), hostile("see-layer"), calls=[call((hostile("see-in"),))], units=hostile("4")),
        class_name="Functional",
        name=hostile("see-model"),
    )
    value = _tagged(hostile("see-keras"), "graph_keras_model", np.array(encoded(keras), object), b"1")
    event = get_message_class("Event")(wall_time=START)
    event.summary.value.append(value)
    yield event
