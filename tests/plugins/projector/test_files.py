"""Read configurations, tensors, metadata and sprites of projectors."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from tbtui.plugins.projector.files import tensor_file
from tbtui.plugins.projector.files.config import Locator, MissingFileError, parse_config
from tbtui.plugins.projector.files.metadata import parse_metadata
from tbtui.plugins.projector.files.sprite import SpriteError, read_sprite
from tbtui.plugins.projector.files.tensor_file import TensorFileError, read_tensor
from tests.helpers.projector_logs import expected

if TYPE_CHECKING:
    from pathlib import Path

# Configurations


def test_config_with_every_form_of_text_is_read(corpus: Path) -> None:
    config = parse_config((corpus / "tf/bytes/projector_config.pbtxt").read_text())
    (entry,) = config.entries
    assert (entry.tensor_name, entry.tensor_path, entry.tensor_shape) == ("raw", "tensors.bytes", (90, 12))
    assert (entry.metadata_path, entry.bookmarks_path) == ("meta.tsv", "state.json")
    assert config.problems == ()


def test_config_with_unknown_field_keeps_the_others() -> None:
    config = parse_config('embeddings { tensor_name: "a" colour: { red: 1 } tensor_path: "b" }')
    assert config.entries[0].tensor_path == "b"


def test_config_damaged_in_one_entry_keeps_the_others() -> None:
    good = 'embeddings {{\n  tensor_name: "{}"\n  tensor_path: "t.tsv"\n}}\n'
    config = parse_config(good.format("a") + good.format('b"quoted') + good.format("c"))
    assert [entry.tensor_name for entry in config.entries] == ["a", "c"]
    assert "line 6" in config.problems[0]
    assert "1 of its parts" in config.problems[0]


def test_config_with_absurd_picture_size_has_no_sprite() -> None:
    text = 'embeddings { tensor_name: "a" sprite { image_path: "s.png" single_image_dim: [0, 4000000000] } }'
    assert parse_config(text).entries[0].image_size is None


# Paths


def test_path_outside_of_the_logs_is_named_and_not_followed(tmp_path: Path) -> None:
    logs = tmp_path / "logs" / "run"
    logs.mkdir(parents=True)
    (tmp_path / "secret.tsv").write_text("1\t2\n")
    (logs / "link.tsv").symlink_to(tmp_path / "secret.tsv")
    locator = Locator(str(logs), str(tmp_path / "logs"))
    for path in ("../../secret.tsv", str(tmp_path / "secret.tsv"), "link.tsv"):
        with pytest.raises(MissingFileError, match="not in the log directory, and nothing outside of it is read"):
            locator.find(path, "tensor")


def test_path_in_a_sibling_run_is_followed(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "sprite.png").write_bytes(b"x")
    found = Locator(str(tmp_path / "run"), str(tmp_path)).find("../shared/sprite.png", "sprite")
    assert found == str(tmp_path / "shared" / "sprite.png")


def test_path_of_another_machine_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("a\n")
    found = Locator(str(tmp_path), str(tmp_path)).find("/home/other/logs/words.tsv", "metadata")
    assert found == str(tmp_path / "words.tsv")


def test_path_of_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"the metadata does not exist: gone\.tsv"):
        Locator(str(tmp_path), str(tmp_path)).find("gone.tsv", "metadata")


# Tensors


def test_tensors_equal_those_of_tensorboard(corpus: Path) -> None:
    tensors = expected(corpus)["analysis"]["tensors"]
    assert len(tensors) == 10
    for name, facts in tensors.items():
        *_, tensor = read_tensor(str(corpus / name), facts["shape"] if name.endswith(".bytes") else ())
        assert list(tensor.values.shape) == facts["shape"]
        assert zlib.crc32(tensor.values.tobytes()) == facts["crc_f4"]


def read_text(path: Path, text: str) -> tensor_file.Tensor:
    path.write_bytes(text.encode())
    *_, tensor = read_tensor(str(path))
    return tensor


def test_tensor_with_crlf_and_no_last_newline_is_read(tmp_path: Path) -> None:
    assert read_text(tmp_path / "t.tsv", "1\t2\r\n\r\n3\t4").values.tolist() == [[1, 2], [3, 4]]


def test_tensor_with_one_column_has_one_dimension(tmp_path: Path) -> None:
    assert read_text(tmp_path / "t.tsv", "1\n2\n").values.shape == (2, 1)


def test_tensor_with_nan_and_infinity_keeps_them(tmp_path: Path) -> None:
    values = read_text(tmp_path / "t.tsv", "nan\t1\n-inf\tinf\n").values
    assert np.isnan(values[0, 0])
    assert values[1].tolist() == [-np.inf, np.inf]


def test_tensor_with_ragged_rows_keeps_the_most_frequent_length(tmp_path: Path) -> None:
    tensor = read_text(tmp_path / "t.tsv", "1\t2\n3\n4\t5\n6\t7\t8\n")
    assert tensor.values.tolist() == [[1, 2], [4, 5]]
    assert tensor.problems[0].startswith("2 of 4 rows are left out")


def test_tensor_with_words_among_numbers_counts_them(tmp_path: Path) -> None:
    tensor = read_text(tmp_path / "t.tsv", "1\tx\n3\t4\n")
    assert np.isnan(tensor.values[0, 1])
    assert tensor.problems == ("1 values are not numbers",)


@pytest.mark.parametrize(("text", "why"), [("", "is empty"), ("\n \n", "blank lines"), ("a\tb\n", "no numbers")])
def test_tensor_without_numbers_says_so(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(TensorFileError, match=why):
        read_text(tmp_path / "t.tsv", text)


def test_tensor_of_raw_zeros_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "t.bytes").write_bytes(bytes(48))
    (tensor,) = read_tensor(str(tmp_path / "t.bytes"), (4, 3))
    assert tensor.values.tolist() == np.zeros((4, 3)).tolist()


def test_tensor_of_raw_bytes_with_wrong_shape_is_floored(tmp_path: Path) -> None:
    (tmp_path / "t.bytes").write_bytes(np.arange(7, dtype="<f4").tobytes())
    (tensor,) = read_tensor(str(tmp_path / "t.bytes"), (4, 3))
    assert tensor.values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert "28 bytes, tensor_shape 4 x 3 needs 48: 2 points" in tensor.problems[0]
    with pytest.raises(TensorFileError, match="no tensor_shape"):
        list(read_tensor(str(tmp_path / "t.bytes")))


def test_tensor_of_many_blocks_yields_a_sample_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_file, "BLOCK_BYTES", 100)
    monkeypatch.setattr(tensor_file, "MIN_SAMPLED_BYTES", 1000)
    path = tmp_path / "t.tsv"
    path.write_text("".join(f"{index}\t{index}\n" for index in range(1000)))
    sample, whole = read_tensor(str(path))
    assert not sample.is_complete
    assert 20 < len(sample.values) < 300
    assert set(map(tuple, sample.values.tolist())) <= set(map(tuple, whole.values.tolist()))
    assert whole.values[:, 0].tolist() == list(range(1000))


def test_tensor_beyond_the_bound_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_file, "MAX_TENSOR_BYTES", 80)
    (tmp_path / "t.bytes").write_bytes(np.zeros(100, "<f4").tobytes())
    (tensor,) = read_tensor(str(tmp_path / "t.bytes"), (50, 2))
    assert tensor.values.shape == (10, 2)
    assert "the first 10 of 50 points" in tensor.problems[0]


# Metadata


def test_metadata_with_header_names_its_columns() -> None:
    metadata = parse_metadata("name\tage\na\t1\nb\t\n", 2)
    assert [column.name for column in metadata.columns] == ["name", "age"]
    assert metadata.columns[1].texts == ("1", "")
    assert metadata.columns[1].numbers is not None
    assert np.isnan(metadata.columns[1].numbers[1])
    assert metadata.label is metadata.columns[0]


def test_metadata_of_one_column_has_no_header() -> None:
    metadata = parse_metadata("a\nb\n", 2)
    assert metadata.columns[0].name == "label"
    assert metadata.columns[0].texts == ("a", "b")


def test_metadata_blank_labels_keep_their_place_if_the_lines_match() -> None:
    assert parse_metadata("a\n\nc\n", 3).columns[0].texts == ("a", "", "c")
    assert parse_metadata("a\n\nc\n", 2).columns[0].texts == ("a", "c")


def test_metadata_of_odd_labels_keeps_all_rows(corpus: Path) -> None:
    text = (corpus / "torch/run/00020/odd labels/metadata.tsv").read_text()
    metadata = parse_metadata(text, 11)
    assert len(metadata.columns[0].texts) == 11
    assert "12 rows for 11 points" in metadata.problems[0]
    assert "tab\there" in metadata.columns[0].texts


def test_metadata_with_one_row_too_many_takes_an_unlike_first_as_header() -> None:
    metadata = parse_metadata("digit\n1\n2\n3\n", 3)
    assert (metadata.columns[0].name, metadata.columns[0].texts) == ("digit", ("1", "2", "3"))
    assert metadata.problems == ()


def test_metadata_with_too_few_rows_leaves_the_last_empty() -> None:
    metadata = parse_metadata("a\nb\n", 4)
    assert metadata.columns[0].texts == ("a", "b", "", "")
    assert "2 rows for 4 points: the last have none" in metadata.problems[0]


def test_metadata_of_duplicate_names_the_last_wins() -> None:
    column = parse_metadata("a\ta\n1\t2\n3\t4\n", 2).column("a")
    assert column is not None
    assert column.texts == ("2", "4")


def test_metadata_of_nothing_is_empty() -> None:
    assert parse_metadata("", 3).columns == ()
    assert parse_metadata("", 3).problems == ("the metadata is empty",)


def test_column_is_numeric_by_the_rule_of_javascript() -> None:
    texts = ["1", " 2.5 ", "0x1F", "-Infinity", "1e3", ""]
    column = parse_metadata("\n".join(["h\tx", *(f"a\t{text}" for text in texts)]) + "\n", 6).columns[1]
    assert column.numbers is not None
    assert column.numbers[:5].tolist() == [1, 2.5, 31, -np.inf, 1000]
    words = parse_metadata("h\tx\na\t1\nb\tnan\n", 2).columns[1]
    assert words.numbers is None


def test_column_of_few_values_is_a_category() -> None:
    column = parse_metadata("".join(f"{index % 3}\n" for index in range(10)), 10).columns[0]
    assert column.is_categorical
    assert column.categories == ("0", "1", "2")
    assert column.codes.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    assert not parse_metadata("".join(f"{index}\n" for index in range(10)), 10).columns[0].is_categorical


# Sprites


def test_sprite_of_pytorch_gives_the_picture_of_a_point(corpus: Path) -> None:
    sprite = read_sprite(str(corpus / "torch/run/00020/feat%2fpenultimate/sprite.png"), (8, 8))
    assert (sprite.columns, sprite.count) == (18, 324)
    picture = sprite.picture(299)
    assert picture is not None
    assert picture.shape == (8, 8, 3)
    assert sprite.picture(324) is None


def test_sprite_pictures_follow_row_by_row(tmp_path: Path) -> None:
    sheet = np.zeros((4, 7, 3), np.uint8)
    sheet[2:4, 2:4] = 200
    Image.fromarray(sheet).save(tmp_path / "s.png")
    sprite = read_sprite(str(tmp_path / "s.png"), (2, 2))
    assert sprite.columns == 3
    assert [int(picture.max()) if (picture := sprite.picture(point)) is not None else None for point in range(6)] == [
        0, 0, 0, 0, 200, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "why"),
    [(None, "no single_image_dim"), ((9, 9), "does not fit"), ((2, 2), "not an image of a known format")],
)
def test_sprite_that_cannot_be_read_says_why(size: tuple[int, int] | None, why: str, tmp_path: Path) -> None:
    path = tmp_path / "s.png"
    if "known format" in why:
        path.write_bytes(b"no picture")
    else:
        Image.new("RGB", (8, 8)).save(path)
    with pytest.raises(SpriteError, match=why):
        read_sprite(str(path), size)
