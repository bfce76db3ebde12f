"""The bytes of pictures on their way to files, and the form of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.images.pane.forms import build_options_fields, choose_file_suffix, create_image_saver
from tbtui.plugins.images.read import ImageReader
from tbtui.plugins.images.settings import COMPARISON, SETTINGS, VALUES
from tbtui.plugins.sample_cards import PICTURES, CardSample, ShownSampleCards
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tbtui.widgets.file_saver import SavedFiles
from tbtui.widgets.form_fields import FieldError, apply_options
from tests.helpers.image_logs import GREEN, RED, ImageLogs, encoded, gif, plain
from tests.helpers.pane_app import pressed
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.view.view import View

KEY, SAMPLE = "a\0x", CardSample("a", "x")


@pytest.fixture
def logs(tmp_path: Path) -> ImageLogs:
    return ImageLogs(tmp_path / "logs")


def view(logs: ImageLogs, **settings: Any) -> View:
    return build_view(logs.load(), settings_of(**settings), RunColours(), SummaryCache())


def written(logs: ImageLogs, path: Path, sample: CardSample = SAMPLE, *, every: bool = False, **settings: Any) -> Any:
    writing = create_image_saver(ImageReader(Payloads()), view(logs, **settings), KEY, sample)
    return writing({"path": path, "all": every, "force": False})


def test_writer_shown_picture_writes_logged_bytes(logs: ImageLogs, tmp_path: Path) -> None:
    red, green = encoded(plain(RED)), gif([GREEN, RED])
    logs.add("a", {"x": {0: red, 7: green}})
    assert written(logs, tmp_path / "out") == SavedFiles(tmp_path / "out.gif", 1, len(green))
    assert (tmp_path / "out.gif").read_bytes() == green
    assert written(logs, tmp_path / "own.name", cursor=1.0).path == tmp_path / "own.name"
    assert (tmp_path / "own.name").read_bytes() == red
    assert written(logs, tmp_path / "alone", image_steps={KEY: 0.0}).path == tmp_path / "alone.png"


def test_writer_all_steps_writes_one_file_each(logs: ImageLogs, tmp_path: Path) -> None:
    logs.add("a", {"x": {0: encoded(plain(RED)), 17: b"no picture at all"}})
    logs.add("a", {"x": {17: gif([GREEN, RED])}}, file="events.out.tfevents.2.host")
    assert written(logs, tmp_path / "out", every=True, superseded=True).count == 3
    assert {path.name: path.read_bytes() for path in tmp_path.glob("out*")} == {
        "out-step00.png": encoded(plain(RED)),
        "out-step17.bin": b"no picture at all",
        "out-step17~2.gif": gif([GREEN, RED]),
    }


def test_writer_failure_is_refused_with_reason(logs: ImageLogs, tmp_path: Path) -> None:
    logs.add("a", {"x": {0: encoded(plain(RED))}})
    (tmp_path / "there.png").write_bytes(b"mine")
    for path, sample, field, words in (
        (tmp_path / "there.png", SAMPLE, "force", "exists already"),
        (tmp_path / "nowhere" / "out", SAMPLE, "path", "cannot be written"),
        (tmp_path / "out", CardSample("a", "x", 3, 4), "all", "step 0 has no image 4"),
    ):
        with pytest.raises(FieldError, match=words) as refused:
            written(logs, path, sample)
        assert refused.value.name == field
    assert (tmp_path / "there.png").read_bytes() == b"mine"


def test_writer_stopped_at_once_writes_no_file(logs: ImageLogs, tmp_path: Path) -> None:
    logs.add("a", {"x": {0: encoded(plain(RED))}})
    writing = create_image_saver(ImageReader(Payloads()), view(logs), KEY, SAMPLE)
    writing.stop()
    assert writing({"path": tmp_path / "out", "all": True, "force": False}) is None
    assert list(tmp_path.glob("out*")) == []


@pytest.mark.parametrize(("kind", "name"), [("PNG", ".png"), ("JPEG", ".jpg"), ("BMP", ".bmp"), ("WEBP", ".webp")])
def test_ending_matches_format_of_bytes(kind: str, name: str) -> None:
    assert choose_file_suffix(encoded(plain(RED), kind)) == name


async def test_write_key_opens_file_form(logs: ImageLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    logs.add("a", {"x": {0: encoded(plain(RED))}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await app.pane.idle()
        await pressed(pilot, "w enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert (tmp_path / "a-x.png").read_bytes() == encoded(plain(RED))
        assert any("a-x.png" in words for words in app.said)


# Options


def test_options_form_values_are_applied() -> None:
    settings = Settings(cursor=3.0)
    fields = {field.name: field for field in build_options_fields(settings)}
    own = {setting.name: setting.value(settings) for setting in SETTINGS}
    entered = {name: own[name] if name in own else getattr(settings, name) for name in fields}
    assert apply_options(settings, entered, SETTINGS) == settings
    assert VALUES.value(apply_options(settings, entered | {VALUES.name: "depth"}, SETTINGS)) == "depth"
    assert fields["image_brightness"].read("1.5") == 1.5  # type: ignore[union-attr]
    for text in ("", "wide", "nan", "-1", "2.1"):
        with pytest.raises(ValueError, match=r"not a number|a number is needed|between 0 and"):
            fields["image_brightness"].read(text)  # type: ignore[union-attr]
    changed = apply_options(settings, entered | {"x_axis": "wall", "image_comparison": "beside"}, SETTINGS)
    assert (changed.x_axis, changed.cursor, COMPARISON.value(changed)) == ("wall", None, "beside")


# Cards


def test_cards_are_ordered_by_tag_run_and_sample(logs: ImageLogs) -> None:
    pair = [encoded(plain(RED))] * 2
    logs.add("a", {"y": {0: plain(RED)}, "x": {0: pair}})
    logs.add("b", {"x": {0: plain(RED)}})
    shown = ShownSampleCards(PICTURES)
    seen = view(logs)
    cards = shown.of(seen)
    assert cards.keys == ("a\0x", "a\0x\x001", "b\0x", "a\0y")
    assert [cards.title_of(key) for key in cards.keys] == ["x · 1 of 2", "x · 2 of 2", "x", "y"]
    assert shown.of(seen) is cards
    assert cards.key_of("y") == "a\0y"
    pinned = shown.of(view(logs, pinned=("a\0y", "gone")))
    assert pinned.keys[0] == "a\0y"
    assert len(pinned.keys) == 4
    shown.learn("b", "x", 2)
    assert "b\0x\x001" in shown.of(seen).keys
