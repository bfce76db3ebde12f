"""Test reading texts from real event files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.loading.payloads import GONE, Payloads, decode_block
from tbtui.plugins.text import read as texts_module
from tbtui.plugins.text.read import TextPoint, TextReadError, read_text, read_whole_text
from tbtui.store.snapshot import ReferenceSeries
from tests.helpers.text_logs import TextLogs

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.text.read import StoredText


@pytest.fixture
def logs(tmp_path: Path) -> TextLogs:
    return TextLogs(tmp_path / "logs")


def point(logs: TextLogs, index: int = 0, run: str = "run", tag: str = "text") -> TextPoint:
    held = logs.load().runs[run]
    series = held.series[tag]
    assert isinstance(series, ReferenceSeries)
    return TextPoint(held, series, index)


def read(logs: TextLogs, held: Any, *, whole: bool = False) -> StoredText:
    logs.add("run", {"text": {0: held}})
    return read_text(Payloads(), point(logs), is_full=whole)


def refusal(logs: TextLogs, held: Any) -> str:
    with pytest.raises(TextReadError) as refused:
        read(logs, held)
    return str(refused.value)


def test_texts_rank_0_is_a_document(logs: TextLogs) -> None:
    found = read(logs, "# head")
    assert (found.document, found.shape, found.nbytes, found.notes) == (b"# head", (), 6, ())


def test_texts_rank_1_with_one_element_is_a_document(logs: TextLogs) -> None:
    assert read(logs, ["text of PyTorch"]).document == b"text of PyTorch"


def test_texts_rank_1_with_several_elements_is_a_one_column_table(logs: TextLogs) -> None:
    found = read(logs, ["a", "b", "c"])
    assert (found.document, found.cells) == (None, ((b"a",), (b"b",), (b"c",)))


def test_texts_rank_2_is_a_table_in_row_order(logs: TextLogs) -> None:
    found = read(logs, [["a", "b", "c"], ["d", "e", "f"]])
    assert found.cells == ((b"a", b"b", b"c"), (b"d", b"e", b"f"))
    assert read(TextLogs(logs.root / "one"), [["a"]]).document is None


def test_texts_higher_rank_shows_the_first_table_with_a_warning(logs: TextLogs) -> None:
    held = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]], [["i", "j"], ["k", "l"]]]
    found = read(logs, held)
    assert found.cells == ((b"a", b"b"), (b"c", b"d"))
    assert found.notes == ("a tensor of rank 3 and shape 3x2x2: only its [0, :, :] is shown",)
    assert found.nbytes == 12
    assert len(read_text(Payloads(), point(logs), is_full=True).cells) == 6


def test_texts_empty_tensor_is_empty(logs: TextLogs) -> None:
    assert read(logs, np.empty((0, 3), object)).cells == ()


def test_texts_cells_beyond_the_limit_are_omitted(logs: TextLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_module, "MAX_CELLS", 4)
    found = read(logs, [["a", "b"], ["c", "d"], ["e", "f"]])
    assert found.cells == ((b"a", b"b"), (b"c", b"d"))
    assert found.notes == ("2x2 of 3x2 cells are shown",)
    assert len(read_text(Payloads(), point(logs), is_full=True).cells) == 3


def test_texts_other_value_is_refused(logs: TextLogs) -> None:
    assert refusal(logs, np.ones((2, 3), np.float32)) == "a tensor of type float instead of a text"


def test_texts_number_tensor_with_strings_is_refused(logs: TextLogs) -> None:
    value = get_message_class("SummaryValue")()
    value.tensor.dtype = 3
    value.tensor.int_val.append(7)
    value.tensor.string_val.append(b"a text")
    assert refusal(logs, value) == "a tensor of type int32 instead of a text"


def test_texts_numbers_among_strings_are_refused(logs: TextLogs) -> None:
    logs.add("run", {"text": {0: "first", 1: get_message_class("SummaryValue")(simple_value=1.0)}})
    with pytest.raises(TextReadError, match="a single number instead of a text"):
        read_text(Payloads(), point(logs, 1))


def test_texts_unknown_dtype_is_refused(logs: TextLogs) -> None:
    value = get_message_class("SummaryValue")()
    value.tensor.dtype = 77
    value.tensor.tensor_shape.SetInParent()
    assert refusal(logs, value) == "a tensor of type number 77 instead of a text"


@pytest.mark.parametrize("sizes", [(1 << 40, 1 << 40), (10_000, 2)])
def test_texts_shape_larger_than_the_content_is_refused(logs: TextLogs, sizes: tuple[int, ...]) -> None:
    value = get_message_class("SummaryValue")()
    value.tensor.dtype = 7
    for size in sizes:
        value.tensor.tensor_shape.dim.add(size=size)
    value.tensor.string_val.append(b"one")
    complaint = refusal(logs, value)
    assert complaint == f"a tensor of shape {sizes[0]}x{sizes[1]} that stores 1 texts is too large to show"


def test_texts_too_many_dimensions_are_refused(logs: TextLogs) -> None:
    value = get_message_class("SummaryValue")()
    value.tensor.dtype = 7
    for _ in range(255):
        value.tensor.tensor_shape.dim.add(size=2)
    value.tensor.string_val.append(b"one")
    assert refusal(logs, value) == "a tensor of 255 dimensions is too large to show"


def test_texts_missing_file_is_refused_temporarily(logs: TextLogs) -> None:
    path = logs.add("run", {"text": {0: "a"}})
    location = point(logs)
    path.unlink()
    with pytest.raises(TextReadError, match=GONE) as refused:
        read_text(Payloads(), location)
    assert refused.value.is_retryable


def test_texts_changed_bytes_are_refused(logs: TextLogs) -> None:
    path = logs.add("run", {"text": {0: "a text of some length"}})
    location = point(logs)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"some", b"SOME"))
    with pytest.raises(TextReadError, match="checksum") as refused:
        read_text(Payloads(), location)
    assert not refused.value.is_retryable


def test_texts_oversized_text_is_refused_and_can_be_exported(logs: TextLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_module, "MAX_SHOWN_BYTES", 1 << 20)
    with pytest.raises(TextReadError, match=r"it has 2,097,203 bytes, too many to show") as refused:
        read(logs, "x" * (2 << 20))
    assert refused.value.is_large
    assert read_text(Payloads(), point(logs), is_full=True).nbytes == 2 << 20


def test_texts_block_is_read_at_once(logs: TextLogs) -> None:
    logs.add("run", {"text": {0: "a", 1: get_message_class("SummaryValue")(simple_value=1.0), 2: [["b", "c"]]}})
    held = point(logs)
    texts, errors = decode_block(Payloads().read(held.run, held.series, range(3)), held.series, read_whole_text)
    assert errors == {1: "a single number instead of a text"}
    assert [text.cells for text in texts.values()] == [((b"a",),), ((b"b", b"c"),)]


def test_texts_identity_is_the_file_position(logs: TextLogs) -> None:
    logs.add("run", {"text": {0: "a", 1: "a"}, "other": {0: "a"}})
    logs.add("two", {"text": {0: "a"}})
    places = [point(logs), point(logs, 1), point(logs, tag="other"), point(logs, run="two")]
    assert len({where.identity for where in places}) == 4
    assert point(logs).identity == point(logs).identity
