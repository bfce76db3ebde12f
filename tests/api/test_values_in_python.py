"""Test scalars and other kinds of values: lazy reads of one or all steps, and plain error messages."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import tbtui
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.maths.smoothing import smooth
from tests.helpers.curve_snapshots import curve
from tests.helpers.log_directory import FILE, START
from tests.helpers.sounds import RATE, sine, wav
from tests.helpers.value_logs import ValueLogs, pictures, plain, png, strings

CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture
def logs(tmp_path: Path) -> ValueLogs:
    return ValueLogs(tmp_path / "logs")


def run_of(logs: ValueLogs) -> tbtui.Run:
    return tbtui.open(logs.root)["run"]


# Scalars


def test_scalars_are_a_sequence_of_points(logs: ValueLogs) -> None:
    logs.log("run", range(5))
    loss = run_of(logs).scalars("loss")
    assert len(loss) == 5
    assert loss[-1] == loss[4] == (4, START + 4, 8.0)
    assert loss[-1].value == 8.0
    assert [point.step for point in loss] == [0, 1, 2, 3, 4]
    assert isinstance(loss[1:3], tbtui.Scalars)
    assert loss[1:3].values.tolist() == [2.0, 4.0]
    assert loss[::-2].steps.tolist() == [4, 2, 0]
    assert loss.at(3) == (3, START + 3, 6.0)
    assert np.asarray(loss).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert np.asarray(loss, np.float32).dtype == np.float32
    assert float(np.mean(loss)) == 4.0  # type: ignore[call-overload]
    assert (loss.run, loss.tag, loss.metadata.plugin_name) == ("run", "loss", "scalars")
    assert repr(loss) == "<Scalars 'loss' of 'run': 5 points, steps 0 to 4, last value 8>"
    for index in (5, -6):
        with pytest.raises(IndexError, match="has 5 points"):
            loss[index]
    with pytest.raises(tbtui.UnknownStepError, match=r"no point at step 9 \(nearest step: 4\)"):
        loss.at(9)
    for step, kind in (("x", "str"), (None, "NoneType"), ([1], "list")):
        with pytest.raises(TypeError, match=f"a step is a whole number, not {kind}"):
            loss.at(step)
    with pytest.raises(KeyError, match="nearest steps: 0 and 2"):
        loss[::2].at(1)
    with pytest.raises(KeyError, match=r"no point at step 0$"):
        loss[:0].at(0)


def test_scalars_include_restarts_unless_excluded(logs: ValueLogs) -> None:
    logs.log("run", [0, 1, 2, 3])
    logs.log("run", [2, 3, 4], start=START + 10)
    loss = run_of(logs).scalars("loss")
    assert loss.steps.tolist() == [0, 1, 2, 3, 2, 3, 4]
    assert loss.current.steps.tolist() == [0, 1, 2, 3, 4]
    assert loss.kept.tolist() == [True, True, False, False, True, True, True]
    assert loss.restarts.tolist() == [2]
    assert loss.superseded == 2
    assert loss.current.current.steps.tolist() == [0, 1, 2, 3, 4]
    assert loss.at(2).wall_time == START + 12
    assert "7 points, 2 of them superseded, steps 0 to 4" in repr(loss)


def test_scalars_smoothing_equals_the_dashboard(logs: ValueLogs) -> None:
    logs.log("run", range(20))
    loss = run_of(logs).scalars("loss")
    assert np.array_equal(loss.smoothed(0.6), smooth(loss.values, 0.6))
    assert np.array_equal(loss.smoothed(0), loss.values)


@pytest.mark.parametrize("weight", [1, 1.5, -0.1, float("nan"), float("inf")])
def test_scalars_invalid_smoothing_weight_raises(logs: ValueLogs, weight: float) -> None:
    logs.log("run", range(20))
    with pytest.raises(ValueError, match=">= 0 and < 1"):
        run_of(logs).scalars("loss").smoothed(weight)


def test_arrays_are_read_only_and_picklable(logs: ValueLogs) -> None:
    logs.log("run", [0, 1, 1, 2])
    loss = run_of(logs).scalars("loss")
    for scalars in (loss, loss.current, loss[1:]):
        for array in (scalars.steps, scalars.wall_times, scalars.values, scalars.kept, scalars.restarts):
            assert not array.flags.writeable
            assert np.array_equal(pickle.loads(pickle.dumps(array)), array)
    assert np.array_equal(pickle.loads(pickle.dumps(loss)).values, loss.values)


def test_scalars_non_finite_values_are_kept(logs: ValueLogs) -> None:
    path = logs.log("run", [0])
    with EventFileWriter(str(path)) as writer:
        for step, value in enumerate([float("nan"), float("inf"), -float("inf")], 1):
            writer.scalar("loss", value, step, START)
    values = run_of(logs).scalars("loss").values
    assert np.array_equal(values, [0.0, np.nan, np.inf, -np.inf], equal_nan=True)


# Images


def test_images_are_read_on_access(logs: ValueLogs) -> None:
    path = logs.add("run", "x", "images", *(pictures(plain(red)) for red in (10, 20, 30)))
    images = run_of(logs).images("x")
    assert (len(images), images.steps.tolist(), images.wall_times.tolist()) == (
        3,
        [0, 1, 2],
        [START, START + 1, START + 2],
    )
    image = images[-1]
    assert (image.step, image.wall_time, image.sample, image.run, image.tag) == (2, START + 2, 0, "run", "x")
    assert image.bytes == plain(30)
    assert (image.format, image.width, image.height, image.note) == ("PNG", 4, 3, "")
    array = image.array()
    assert (array.shape, array.dtype) == ((3, 4, 3), np.uint8)
    assert array[0, 0].tolist() == [30, 0, 0]
    array[:] = 0  # owned by the caller
    assert image.array()[0, 0].tolist() == [30, 0, 0]
    assert image.to_pil().size == (4, 3)
    assert images.at(1).array()[0, 0, 0] == 20
    assert [each.array()[0, 0, 0] for each in images[1:]] == [20, 30]
    assert image._repr_png_() == image.bytes
    assert image._repr_jpeg_() is None
    assert repr(images[0]) == "<Image 'x' of 'run' at step 0>"
    assert repr(image) == "<Image 'x' of 'run' at step 2>"
    assert image.path == str(path)
    assert image.event in path.read_bytes()
    assert path.read_bytes()[image.offset :].startswith(image.event)


def test_images_alpha_has_four_channels_and_grey_three(logs: ValueLogs) -> None:
    clear, grey = png(np.full((3, 4, 4), 7, np.uint8)), png(np.full((3, 4), 9, np.uint8))
    logs.add("run", "x", "images", pictures(clear), pictures(grey))
    images = run_of(logs).images("x")
    assert [image.array().shape for image in images] == [(3, 4, 4), (3, 4, 3)]
    assert images[1].to_pil().mode == "L"


def test_images_step_may_have_several_or_no_images(logs: ValueLogs) -> None:
    logs.add("run", "x", "images", pictures(plain(1), plain(2)), pictures())
    both, none = run_of(logs).images("x")
    assert [each.array()[0, 0, 0] for each in both.all_of_step] == [1, 2]
    assert [each.sample for each in both.all_of_step] == [0, 1]
    assert none.all_of_step == ()
    with pytest.raises(tbtui.PayloadError, match="nothing was logged at this step"):
        none.bytes  # noqa: B018


def test_images_invalid_image_raises(logs: ValueLogs) -> None:
    path = logs.add("run", "x", "images", pictures(b"no picture"), np.zeros(3))
    text, number = run_of(logs).images("x")
    assert text.bytes == b"no picture"
    for call in (text.array, text.to_pil, lambda: text.width):
        with pytest.raises(tbtui.PayloadError, match="not an image of a known format") as refused:
            call()
        assert (refused.value.run, refused.value.tag, refused.value.step) == ("run", "x", 0)
        assert (refused.value.path, refused.value.offset) == (str(path), text.offset)
        assert f"({str(path)!r}, byte {text.offset:,})" in str(refused.value)
    with pytest.raises(tbtui.PayloadError, match="not as a tensor of float64"):
        number.bytes  # noqa: B018
    assert text._repr_png_() is None
    error = pickle.loads(pickle.dumps(refused.value))
    assert (str(error), error.offset) == (str(refused.value), refused.value.offset)


# Audio


def test_audio_has_samples_and_a_rate(logs: ValueLogs) -> None:
    tone = wav(np.stack([sine(440), sine(220)], axis=1))
    old = get_message_class("SummaryValue")()
    old.audio.encoded_audio_string = wav(sine(440))
    logs.add("run", "x", "audio", strings(tone, b"left and right", shape=(1, 2)))
    logs.add("run", "y", "audio", old)
    run = run_of(logs)
    sound = run.audio("x")[0]
    assert (sound.rate, sound.channels, sound.seconds, sound.label, sound.format) == (
        RATE,
        2,
        0.5,
        "left and right",
        "WAV",
    )
    assert (sound.samples.shape, sound.samples.dtype) == ((RATE // 2, 2), np.float32)
    assert np.allclose(sound.samples[:, 1], sine(220), atol=1e-4)
    assert sound.bytes == tone
    assert sound.notes == ()
    assert run.audio("y")[0].samples.shape == (RATE // 2, 1)


def test_audio_step_may_have_several_or_invalid_sounds(logs: ValueLogs) -> None:
    two = strings(wav(sine(440)), b"", wav(sine(220)), b"", shape=(2, 2))
    logs.add("run", "x", "audio", two, strings(b"ID3 and so on", b"", shape=(1, 2)), strings(shape=(0, 2)), np.zeros(2))
    both, other, none, number = run_of(logs).audio("x")
    assert np.allclose(both.all_of_step[1].samples[:, 0], sine(220), atol=1e-4)
    assert other.format == "MP3"
    with pytest.raises(tbtui.PayloadError, match="it is MP3"):
        other.samples  # noqa: B018
    with pytest.raises(tbtui.PayloadError, match="nothing was logged at this step"):
        none.bytes  # noqa: B018
    with pytest.raises(tbtui.PayloadError, match="there is a tensor of float64"):
        number.bytes  # noqa: B018


# Histograms


def rows(*buckets: tuple[float, float, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(buckets, np.float64).reshape(-1, 3)


def test_histograms_are_read_one_by_one_or_all_at_once(logs: ValueLogs) -> None:
    logs.add("run", "x", "histograms", rows((0, 1, 4), (1, 3, 6)), rows((0, 2, 1)), rows(), rows((0, np.nan, 1)))
    histograms = run_of(logs).histograms("x")
    first = histograms[0]
    assert (first.lefts.tolist(), first.rights.tolist(), first.counts.tolist()) == ([0, 1], [1, 3], [4, 6])
    assert first.edges.tolist() == [0, 1, 3]
    assert first.total == 10
    assert np.isnan(first.sum)
    assert np.isnan(first.sum_of_squares)
    assert histograms[2].edges.tolist() == histograms[2].counts.tolist() == []
    assert histograms.starts.tolist() == [0, 2, 3, 3, 3]
    assert (histograms.counts.tolist(), histograms.lefts.tolist(), histograms.rights.tolist()) == (
        [4, 6, 1],
        [0, 1, 0],
        [1, 3, 2],
    )
    assert np.array_equal(histograms.totals, [10, 1, 0, np.nan], equal_nan=True)
    assert list(histograms.errors) == list(histograms.refused) == [3]
    quantiles = histograms.quantiles([0, 0.4, 1])
    assert quantiles[0].tolist() == [0, 1, 3]
    assert np.isnan(quantiles[3]).all()
    assert histograms.quantiles().shape == (4, 9)
    with pytest.raises(tbtui.PayloadError, match="a NaN is among the values"):
        histograms[3].counts  # noqa: B018
    assert histograms[1:2].counts.tolist() == [1]
    for share in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="is not a share of the values: it is from 0 to 1"):
            histograms.quantiles([0.5, share])


def test_histograms_of_old_writers_have_their_sums(logs: ValueLogs) -> None:
    path = logs.log("run", [0])
    with EventFileWriter(str(path), like_pytorch=True) as writer:
        writer.histogram("h", np.array([1.0, 2.0, 3.0]), 0, START)
    histogram = run_of(logs).histograms("h")[0]
    assert (histogram.total, histogram.sum, histogram.sum_of_squares) == (3, 6, 14)
    assert (histogram.edges[0], histogram.edges[-1]) == (1, 3)


# Texts, curves, tensors, graphs, hyperparameters


def test_texts_are_documents_and_tables(logs: ValueLogs) -> None:
    logs.add(
        "run", "x", "text", strings(b"# a \xff", shape=()), strings(b"a", b"b", b"c", b"d", shape=(2, 2)), np.zeros(2)
    )
    document, table, number = run_of(logs).text("x")
    assert document.text == "# a \ufffd"
    assert (document.bytes, document.shape) == (b"# a \xff", ())
    assert (table.text, table.cells, table.shape) == ("a\tb\nc\td", (("a", "b"), ("c", "d")), (2, 2))
    with pytest.raises(tbtui.PayloadError, match="instead of a text"):
        number.text  # noqa: B018


def test_pr_curves_have_precision_and_recall(logs: ValueLogs) -> None:
    logs.add("run", "x", "pr_curves", curve(), np.zeros(3))
    found, number = run_of(logs).pr_curves("x")
    assert found.thresholds.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert found.precision.tolist() == [0.5, 0.5, 0.75, 1, 0]
    assert found.recall.tolist() == [1, 0.75, 0.75, 0.5, 0]
    assert (found.true_positives.tolist(), found.false_positives.tolist()) == ([4, 3, 3, 2, 0], [4, 3, 1, 0, 0])
    assert (found.true_negatives.tolist(), found.false_negatives.tolist()) == ([0, 1, 3, 4, 4], [0, 1, 1, 2, 4])
    with pytest.raises(tbtui.PayloadError, match="instead of a PR curve"):
        number.recall  # noqa: B018


def test_tensors_of_any_plugin_are_arrays(logs: ValueLogs) -> None:
    vertices = np.arange(6.0).reshape(1, 2, 3)
    logs.add("run", "x", "mesh", vertices)
    logs.add("run", "p", "images", pictures(plain(1)))
    run = run_of(logs)
    assert run.tags["x"] == "mesh"
    assert run.tensors("x")[0].array.tolist() == vertices.tolist()
    assert run.tensors("p")[0].array.tolist() == [b"4", b"3", plain(1)]


def test_wrong_kind_of_tag_names_the_right_method(logs: ValueLogs) -> None:
    logs.log("run", [0])
    logs.add("run", "p", "images", pictures(plain(1)))
    logs.add("run", "m", "mesh", np.zeros(3))
    run = run_of(logs)
    for call, expected in (
        (lambda: run.scalars("p"), "'p' of 'run' holds images, not scalars: ask images()"),
        (lambda: run.images("loss"), "'loss' of 'run' holds scalars, not images: ask scalars()"),
        (lambda: run.tensors("loss"), "'loss' of 'run' holds scalars, not tensors: ask scalars()"),
        (lambda: run.text("m"), "'m' of 'run' holds mesh, not text: ask meshes()"),
    ):
        with pytest.raises(tbtui.UnknownTagError) as refused:
            call()
        assert str(refused.value) == expected
    with pytest.raises(tbtui.UnknownTagError, match="did you mean 'loss'"):
        run.tags["los"]


def test_graphs_and_hyperparameters_of_every_writer_are_read() -> None:
    logs = tbtui.open(CORPUS / "writers")
    graphs = logs["tf/v1"].graphs
    assert [(graph.tag, graph.kind) for graph in graphs] == [("__run_graph__", "ops"), ("step2", "profile")]
    graph, profile = graphs
    assert graph.data() in Path(logs["tf/v1"].files[0].path).read_bytes()
    assert len(graph.parsed().names) > 3
    assert graph.document().startswith("digraph")
    assert graph.document("json").startswith("{")
    assert repr(profile) == "<Graph 'step2' of 'tf/v1': profile at step 2>"
    with pytest.raises(tbtui.PayloadError, match="only times were written here"):
        profile.parsed()
    with pytest.raises(ValueError, match="'xml' is no format of graphs"):
        graph.document("xml")  # type: ignore[arg-type]
    with pytest.raises(tbtui.UnknownTagError, match=r"holds graphs, not scalars: ask graphs$"):
        logs["tf/v1"].scalars("__run_graph__")
    with pytest.raises(tbtui.PayloadError, match="a separate event"):
        logs["tf/v1"].tensors("__run_graph__")[0].array  # noqa: B018
    hparams = logs["tbx/r/hp"].hparams
    assert hparams.values
    assert logs["tf/v1"].hparams.values == {}


def test_graphs_are_selected_by_index_and_by_tag() -> None:
    run = tbtui.open(CORPUS / "writers")["tf/v1"]
    graphs = run.graphs
    assert isinstance(graphs, tbtui.Graphs)
    assert graphs["step2"] is graphs[1] is graphs[-1] is graphs[np.int64(1)]
    assert graphs[:1] == (graphs["__run_graph__"],)
    assert "step2" in graphs
    assert graphs[0] in graphs
    assert "step3" not in graphs
    assert repr(graphs) == f"({graphs[0]!r}, {graphs[1]!r})"
    for call, error, expected in (
        (lambda: graphs["step"], KeyError, "'tf/v1' has no tag 'step' of graphs: did you mean 'step2'?"),
        (lambda: graphs["model"], KeyError, "'tf/v1' has no tag 'model' of graphs: there are '__run_graph__', 'step2'"),
        (lambda: graphs[2], IndexError, "'tf/v1' has 2 graphs, no graph 2"),
        (lambda: graphs[1.0], TypeError, "the index of a graph is a whole number, not float"),
    ):
        with pytest.raises(error) as refused:
            call()
        assert str(refused.value) == expected


def test_graphs_invalid_graph_raises_a_plain_message(logs: ValueLogs) -> None:
    logs.log("run", [0])
    run = run_of(logs)
    with pytest.raises(tbtui.UnknownTagError, match=r"^'loss' of 'run' holds scalars, not graphs: ask scalars\(\)$"):
        run.graphs["loss"]
    with pytest.raises(tbtui.UnknownTagError, match=r"^'run' has no tag 'model' of graphs: there are none$"):
        run.graphs["model"]
    with pytest.raises(IndexError, match=r"^'run' has 0 graphs, no graph 0$"):
        run.graphs[0]
    with pytest.raises(IndexError, match=r"^'loss' of 'run' has 1 point, no point 7$"):
        run.scalars("loss")[7]
    with pytest.raises(TypeError, match="the index of a point is a whole number, not str"):
        run.scalars("loss")["last"]  # type: ignore[call-overload]


def test_every_value_of_every_writer_is_read() -> None:
    for run in tbtui.open(CORPUS / "writers").values():
        for tag, plugin in run.tags.items():
            if tag == "vid":  # a video that PyTorch wrote without a picture
                with pytest.raises(tbtui.PayloadError, match="an empty value"):
                    run.images(tag)[0].array()
            elif plugin == "images":
                for image in run.images(tag):
                    assert [each.array().shape[:2] for each in image.all_of_step] == [
                        (each.height, each.width) for each in image.all_of_step
                    ]
            elif plugin == "audio":
                assert all(len(each.samples) for sound in run.audio(tag) for each in sound.all_of_step)
            elif plugin == "text":
                assert all(isinstance(text.text, str) for text in run.text(tag))
            elif plugin == "pr_curves":
                assert all(len(found.recall) == len(found.thresholds) for found in run.pr_curves(tag))
            elif plugin == "histograms":
                assert not run.histograms(tag).errors


# Changes of files


def test_missing_or_changed_file_is_reported(logs: ValueLogs) -> None:
    path = logs.add("run", "x", "images", pictures(plain(1)), pictures(plain(2)))
    images = run_of(logs).images("x")
    content = bytearray(path.read_bytes())
    at = images[1].offset
    content[at + 20] ^= 0xFF
    path.write_bytes(content)
    assert images[0].bytes == plain(1)
    with pytest.raises(tbtui.PayloadError, match="checksum"):
        images[1].bytes  # noqa: B018
    path.unlink()
    with pytest.raises(tbtui.PayloadError, match="the file is gone"):
        images[0].bytes  # noqa: B018


def test_run_deleted_before_its_read_is_empty(logs: ValueLogs) -> None:
    logs.log("run", [0])
    run = run_of(logs)
    logs.path("run", FILE).unlink()
    assert list(run.tags) == []
    with pytest.raises(tbtui.UnknownTagError, match="there are none"):
        run.scalars("loss")
