"""Embeddings in `tbtui print`, `export` and `inspect`."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.main import main
from tests.helpers.print_command import printed
from tests.helpers.projector_logs import write_clusters

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_clusters(tmp_path / "logs" / "run", (10, 20))
    return tmp_path / "logs"


def test_print_draws_letters_and_tells_how_labels_agree(logs: Path) -> None:
    text = printed(logs, "--plugin", "projector", "--no-cache").out
    assert "run  layer · step 20" in text
    assert "of variance" in text
    assert "A car" in text
    assert "10-NN accuracy" in text
    rows = text[: text.index("class  points")].splitlines()[2:]
    assert {character for row in rows for character in row} >= set("ABC")


def test_print_of_a_step_draws_that_step(logs: Path) -> None:
    text = printed(logs, "--plugin", "projector", "--step", "10", "--no-cache").out
    assert "step 10 · 60 points, 6 dimensions" in text
    assert "% of the neighbours of" in text


def test_print_of_odd_points_says_what_is_left_out(corpus: Path) -> None:
    text = printed(corpus / "torch", "--plugin", "projector", "--tags", "nonfinite", "--no-cache").out
    assert "2 points with NaN or infinity have no place on the map" in text


def test_print_of_a_missing_checkpoint_says_so(tmp_path: Path) -> None:
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "words" }')
    text = printed(tmp_path, "--plugin", "projector", "--no-cache").out
    assert "projector_config.pbtxt names no checkpoint, and there is no file 'checkpoint' beside it" in " ".join(
        text.split()
    )


def test_print_filters_embeddings_that_only_a_configuration_names(corpus: Path) -> None:
    text = printed(corpus / "tf", "--plugin", "projector", "--tags", "^emb_bf", "--no-cache").out
    assert [line.split("  ")[1].split(" · ")[0] for line in text.splitlines() if line.startswith("tf2_dtypes")] == [
        "emb_bf"
    ]


def test_print_of_points_without_a_place_has_no_axes(tmp_path: Path) -> None:
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "e" tensor_path: "t.tsv" }')
    (tmp_path / "t.tsv").write_text("nan\t1\t2\t3\n" * 5)
    text = printed(tmp_path, "--plugin", "projector", "--no-cache").out
    assert text.splitlines()[0].endswith("e · 5 points, 4 dimensions")
    assert "5 points with NaN or infinity have no place on the map" in text


def exported(capsys: pytest.CaptureFixture[str], *words: object) -> list[dict[str, str]]:
    main(["export", *map(str, words), "--format", "csv", "--no-cache"])
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_export_writes_points_of_all_steps(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = exported(capsys, logs, "--plugin", "projector")
    assert len(rows) == 120
    assert rows[0] | {"x": "", "y": "", "z": "", "norm": ""} == {
        "run": "run", "tag": "layer", "step": "10", "index": "0", "x": "", "y": "", "z": "", "norm": "",
        "metadata.class": "cat", "metadata.number": "0",
    }  # fmt: skip
    assert all(float(row["x"]) == float(row["x"]) for row in rows)


def test_export_writes_vectors(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = exported(capsys, corpus / "torch", "--plugin", "vectors", "--tags", "^2d$")
    assert len(rows) == 12
    assert set(rows[0]) == {"run", "tag", "step", "index", "d1", "d2"}


def test_inspect_lists_embeddings(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(logs), "--no-cache"]) == 0
    assert "an embedding of 60 x 6 points at 2 steps" in capsys.readouterr().out


def test_print_lists_the_nearest_of_a_named_point(logs: Path) -> None:
    text = printed(logs, "--plugin", "projector", "--point", "17", "--no-cache").out
    assert "nearest of car (point 17)" in text
    rows = text[text.index("nearest  point") :].splitlines()[1:11]
    distances = [float(row.split()[2]) for row in rows]
    assert distances == sorted(distances)
    assert "no point is bird" in printed(logs, "--plugin", "projector", "--point", "bird", "--no-cache").out


def test_inspect_names_what_does_not_fit(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(corpus / "torch"), "--no-cache"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "embedding feat/penultimate at steps 0, 10, 20: 300 x 16 in tensors.tsv; metadata of 300 rows:" in text
    assert "sprite of 144 x 144 pixels, pictures of 8 x 8" in text
    assert "! the metadata has 12 rows for 11 points" in text
    assert "! 2 points with NaN or infinity have no place on the map" in text


def test_inspect_names_missing_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_clusters(tmp_path / "run")
    config = tmp_path / "run" / "projector_config.pbtxt"
    broken = config.read_text().replace("metadata.tsv", "../../labels.tsv").replace(
        "}", '  sprite { image_path: "gone.png" single_image_dim: [8, 8] }\n}'
    ) + 'embeddings { tensor_name: "other" tensor_path: "lost.tsv" }'  # fmt: skip
    config.write_text(broken)
    assert main(["inspect", str(tmp_path), "--json", "--no-cache"]) == 0
    notes = json.loads(capsys.readouterr().out)["runs"]["run"]["asset_notes"]
    assert notes == [
        "embedding layer: 60 x 6 in tensors.tsv; no metadata",
        "! the metadata is not in the log directory, and nothing outside of it is read: ../../labels.tsv",
        "! the sprite does not exist: gone.png",
        "embedding other: cannot be read in lost.tsv",
        "! the tensor does not exist: lost.tsv",
    ]


def test_inspect_names_damaged_pictures_and_missing_views(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "e" tensor_path: "t.tsv" bookmarks_path: "gone.json"'
        ' sprite { image_path: "s.png" single_image_dim: [8, 8] } }\nembeddings { tensor_name: "words" }'
    )
    (tmp_path / "t.tsv").write_text("1\t2\t3\n4\t5\t7\n")
    (tmp_path / "s.png").write_bytes(b"\x89PNG not a picture")
    assert main(["inspect", str(tmp_path), "--json", "--no-cache"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"].values()
    assert run["asset_notes"] == [
        "embedding e: 2 x 3 in t.tsv; no metadata",
        "! the sprite is not an image of a known format",
        "! the file of bookmarks does not exist: gone.json",
        "embedding words: cannot be read",
        "! projector_config.pbtxt names no checkpoint, and there is no file 'checkpoint' beside it",
    ]


def test_export_says_what_does_not_fit(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", str(corpus / "torch"), "--plugin", "projector", "--tags", "odd", "--format", "csv", "--no-cache"])
    assert "odd labels of run: the metadata has 12 rows for 11 points" in " ".join(capsys.readouterr().err.split())


def test_print_writes_the_map_as_a_picture(logs: Path, tmp_path: Path) -> None:
    target = tmp_path / "map.svg"
    assert main(["print", str(logs), "--plugin", "projector", "--step", "10", "-o", str(target), "--no-cache"]) == 0
    text = target.read_text()
    assert text.startswith("<svg ")
    assert "step 10" in text


def test_print_of_a_missing_tensor_as_a_picture_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "a" tensor_path: "lost.tsv" }')
    command = ["print", str(tmp_path), "--plugin", "projector", "-o", str(tmp_path / "map.png"), "--no-cache"]
    assert main(command) == 1
    assert "the tensor does not exist: lost.tsv" in capsys.readouterr().err
