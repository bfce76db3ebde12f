"""Keras models from their JSON: of Keras 3, of Keras 2, sequential, nested, broken."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.formats.keras import LayerGraph, read_keras_model
from tbtui.plugins.graphs.formats.salvage import GraphError
from tests.helpers.graph_bytes import call, encoded, keras_tensor, layer, model


def read(written: Any) -> LayerGraph:
    return read_keras_model(encoded(written))


def inputs(made: LayerGraph) -> dict[str, list[str]]:
    return dict(zip(made.names, made.inputs, strict=True))


START = layer("InputLayer", "x", batch_shape=[None, 10, 32])


def one(class_name: str, *, start: Any = START, **config: Any) -> LayerGraph:
    """A layer behind an input of shape ?×10×32, or another one."""
    return read(model(start, layer(class_name, "made", **config)))


def test_keras_sequential_layers_are_chained() -> None:
    made = read(model(START, layer("Flatten", "f"), layer("Dense", "d", units=3)))
    assert made.names == ["net/x", "net/f", "net/d"]
    assert made.ops == ["InputLayer", "Flatten", "Dense"]
    assert made.inputs == [[], ["net/x"], ["net/f"]]
    assert made.devices == ["", "", ""]
    assert (made.layers, made.functions, made.notes) == (True, (), ())
    assert [made.shapes(row) for row in range(3)] == [((-1, 10, 32),), ((-1, 320),), ((-1, 3),)]
    assert [made.parameters(row) for row in range(3)] == [0, 0, 963]


def test_keras_oldest_sequential_config_is_a_list() -> None:
    written = {
        "class_name": "Sequential",
        "config": [layer("Dense", "a", units=3, batch_input_shape=[None, 4]), layer("Dense", "b", units=2)],
    }
    made = read(written)
    assert made.names == ["sequential/a", "sequential/b"]
    assert made.inputs == [[], ["sequential/a"]]
    assert [made.parameters(row) for row in range(2)] == [15, 8]


def test_keras_3_inputs_are_tensor_histories() -> None:
    made = read(
        model(
            layer("InputLayer", "x", calls=[], batch_shape=[None, 4]),
            layer("Dense", "left", calls=[call(("x", [None, 4]))], units=3),
            layer("Dense", "right", calls=[call(("x", [None, 4]))], units=3),
            layer("Add", "add", calls=[{"args": [[keras_tensor("left"), keras_tensor("right")]], "kwargs": {}}]),
            class_name="Functional",
        )
    )
    assert inputs(made) == {
        "net/x": [],
        "net/left": ["net/x"],
        "net/right": ["net/x"],
        "net/add": ["net/left", "net/right"],
    }
    assert made.shapes(3) == ((-1, 3),)


def test_keras_keyword_tensors_are_inputs() -> None:
    attended = {"args": [keras_tensor("x")], "kwargs": {"value": keras_tensor("memory"), "mask": None}}
    made = read(model(layer("MultiHeadAttention", "a", calls=[attended]), class_name="Functional"))
    assert made.inputs == [["net/x", "net/memory"]]


def test_keras_2_inputs_are_lists() -> None:
    made = read(
        model(
            layer("InputLayer", "x", calls=[], batch_input_shape=[None, 4]),
            layer("Dense", "d", calls=[[["x", 0, 0, {}]]], units=3),
            layer("TFOpLambda", "tf.math.add", calls=[["d", 0, 0, {"y": ["x", 0, 0], "name": None}]]),
            layer("TFOpLambda", "tf.math.multiply", calls=[["_CONSTANT_VALUE", -1, 2.0, {"y": ["d", 0, 1]}]]),
            layer("Concatenate", "c", calls=[[["d", 0, 0, {}], ["x", 0, 0, {}]]]),
            class_name="Functional",
        )
    )
    assert inputs(made) == {
        "net/x": [],
        "net/d": ["net/x"],
        "net/tf.math.add": ["net/d", "net/x"],
        "net/tf.math.multiply": ["net/d:1"],
        "net/c": ["net/d", "net/x"],
    }
    assert made.shapes(1) == ((-1, 3),)
    assert made.shapes(4) == ((-1, 7),)


def test_keras_layer_called_twice_has_inputs_of_both_calls() -> None:
    made = read(model(layer("Dense", "d", calls=[call(("a",)), call(("b",)), call(("a",))]), class_name="Functional"))
    assert made.inputs == [["net/a", "net/b"]]


def of_calls(*tensors: tuple[str, int]) -> list[Any]:
    """An inbound node of Keras 2 that reads the first output of calls of layers."""
    return [[name, number, 0, {}] for name, number in tensors]


def test_keras_calls_of_a_shared_layer_are_several_tensors() -> None:
    """The model of TensorBoard 1991: `add` reads both calls of one layer, `head` the second."""
    made = read(
        model(
            layer("InputLayer", "a", calls=[], batch_shape=[None, 4]),
            layer("InputLayer", "b", calls=[], batch_shape=[None, 4]),
            layer("Dense", "shared", calls=[of_calls(("a", 0)), of_calls(("b", 0))], units=1),
            layer("Add", "add", calls=[of_calls(("shared", 0), ("shared", 1))]),
            layer("Dense", "head", calls=[of_calls(("shared", 1))], units=1),
            class_name="Functional",
        )
    )
    assert made.inputs[2:] == [["net/a", "net/b"], ["net/shared", "net/shared:1"], ["net/shared:1"]]
    assert made.shapes(2) == ((-1, 1), (-1, 1))
    assert [made.parameters(row) for row in range(5)] == [0, 0, 5, 0, 2]


@pytest.mark.parametrize("first", [0, 1])
def test_keras_calls_of_a_nested_model_are_several_tensors(first: int) -> None:
    """Keras 2 counts the calls of a nested model from 1."""
    inner = model(
        layer("InputLayer", "x", calls=[], batch_shape=[None, 4]),
        layer("Dense", "d", calls=[of_calls(("x", 0))], units=3),
        class_name="Functional",
        name="tower",
        input_layers=[["x", 0, 0]],
        output_layers=[["d", 0, 0]],
    )
    made = read(
        model(
            layer("InputLayer", "a", calls=[], batch_shape=[None, 4]),
            layer("InputLayer", "b", calls=[], batch_shape=[None, 4]),
            {**inner, "inbound_nodes": [of_calls(("a", 0)), of_calls(("b", 0))]},
            layer("Subtract", "distance", calls=[of_calls(("tower", first), ("tower", first + 1))]),
            class_name="Functional",
        )
    )
    assert inputs(made) == {
        "net/a": [],
        "net/b": [],
        "net/tower/x": ["net/a", "net/b"],
        "net/tower/d": ["net/tower/x"],
        "net/distance": ["net/tower/d", "net/tower/d:1"],
    }
    assert sum(made.parameters(row) for row in range(5)) == 15


def test_keras_layer_outputs_are_distinguished() -> None:
    made = read(
        model(
            layer("LSTM", "l", calls=[], units=8),
            layer("Dense", "d", calls=[call(("l", [None, 8], 2))], units=1),
            layer("Dense", "e", calls=[call(("l", [None, 4], 0))], units=1),
            layer("Dense", "f", calls=[call(("l", [None, 6], 1))], units=1),
            class_name="Functional",
        )
    )
    assert made.inputs[1] == ["net/l:2"]
    assert made.shapes(0) == ((-1, 4), (-1, 6), (-1, 8))


def nested() -> dict[str, Any]:
    """An encoder in a model: what it is given goes to its input layer, what leaves it comes from its last layer."""
    encoder = model(
        layer("InputLayer", "inner", calls=[], batch_shape=[None, 4]),
        layer("Dense", "code", calls=[call(("inner", [None, 4]))], units=2),
        class_name="Functional",
        name="encoder",
        input_layers=[["inner", 0, 0]],
        output_layers=[["code", 0, 0]],
    ) | {"inbound_nodes": [call(("x", [None, 4]))]}
    return model(
        layer("InputLayer", "x", calls=[], batch_shape=[None, 4]),
        encoder,
        layer("Dense", "out", calls=[call(("encoder", [None, 2]))], units=1),
        class_name="Functional",
    )


def test_keras_nested_models_are_scopes() -> None:
    made = read(nested())
    assert inputs(made) == {
        "net/x": [],
        "net/encoder/inner": ["net/x"],
        "net/encoder/code": ["net/encoder/inner"],
        "net/out": ["net/encoder/code"],
    }
    assert made.shapes(2) == ((-1, 2),)


def test_keras_nested_sequential_models() -> None:
    inner = model(layer("Dense", "a", units=2), layer("Dense", "b", units=3), name="inner")
    made = read(model(START, inner, layer("Dense", "c", units=4)))
    assert inputs(made) == {
        "net/x": [],
        "net/inner/a": ["net/x"],
        "net/inner/b": ["net/inner/a"],
        "net/c": ["net/inner/b"],
    }


def test_keras_models_with_several_inputs_and_outputs() -> None:
    pair = model(
        layer("InputLayer", "i", calls=[]),
        layer("InputLayer", "j", calls=[]),
        layer("Dense", "p", calls=[call(("i",))], units=1),
        layer("Dense", "q", calls=[call(("j",))], units=1),
        class_name="Functional",
        name="pair",
        input_layers=[["i", 0, 0], ["j", 0, 0]],
        output_layers=[["p", 0, 0], ["q", 0, 0]],
    ) | {"inbound_nodes": [call(("x",), ("y",))]}
    made = read(model(pair, layer("Dense", "d", calls=[call(("pair", None, 1))], units=1), class_name="Functional"))
    assert inputs(made) == {
        "net/pair/i": ["net/x"],
        "net/pair/j": ["net/y"],
        "net/pair/p": ["net/pair/i"],
        "net/pair/q": ["net/pair/j"],
        "net/d": ["net/pair/q"],
    }


SEQUENCE, PICTURE = START, layer("InputLayer", "x", batch_shape=[None, 28, 28, 3])
WORDS = layer("InputLayer", "x", batch_shape=[None, 10])


@pytest.mark.parametrize(
    ("made", "shape", "parameters"),
    [
        (one("Dense", units=64), (-1, 10, 64), 32 * 64 + 64),
        (one("Dense", units=64, use_bias=False), (-1, 10, 64), 32 * 64),
        (one("Embedding", start=WORDS, input_dim=1000, output_dim=16), (-1, 10, 16), 16_000),
        (one("LSTM", units=64), (-1, 64), 24_832),
        (one("GRU", units=64, reset_after=True, return_sequences=True), (-1, 10, 64), 18_816),
        (one("GRU", units=64, reset_after=False), (-1, 64), 18_624),
        (one("SimpleRNN", units=64), (-1, 64), 6_208),
        (one("Bidirectional", merge_mode="concat", layer=layer("LSTM", "l", units=64)), (-1, 128), 49_664),
        (one("TimeDistributed", layer=layer("Dense", "d", units=5)), (-1, 10, 5), 165),
        (one("BatchNormalization", axis=-1), (-1, 10, 32), 64),
        (one("LayerNormalization", axis=[-1], center=False), (-1, 10, 32), 32),
        (one("PReLU", shared_axes=[1]), (-1, 10, 32), 32),
        (one("MultiHeadAttention", num_heads=8, key_dim=4), (-1, 10, 32), 4 * (32 * 32 + 32)),
        (one("Dropout", rate=0.5), (-1, 10, 32), 0),
        (one("Permute", dims=[2, 1]), (-1, 32, 10), 0),
        (one("Reshape", target_shape=[-1, 64]), (-1, 5, 64), 0),
        (one("RepeatVector", start=WORDS, n=7), (-1, 7, 10), 0),
        (one("GlobalAveragePooling1D"), (-1, 32), 0),
        (one("Conv1D", filters=8, kernel_size=[3], padding="causal"), (-1, 10, 8), 3 * 32 * 8 + 8),
        (one("Conv2D", start=PICTURE, filters=8, kernel_size=[3, 3]), (-1, 26, 26, 8), 224),
        (one("Conv2D", start=PICTURE, filters=8, kernel_size=5, strides=[2, 2]), (-1, 12, 12, 8), 608),
        (one("Conv2D", start=PICTURE, filters=8, kernel_size=3, padding="same", strides=2), (-1, 14, 14, 8), 224),
        (one("Conv2D", start=PICTURE, filters=6, kernel_size=3, groups=3, use_bias=False), (-1, 26, 26, 6), 54),
        (one("Conv2D", start=PICTURE, filters=8, kernel_size=3, dilation_rate=2), (-1, 24, 24, 8), 224),
        (one("DepthwiseConv2D", start=PICTURE, kernel_size=3, depth_multiplier=2), (-1, 26, 26, 6), 60),
        (one("SeparableConv2D", start=PICTURE, filters=8, kernel_size=3), (-1, 26, 26, 8), 27 + 24 + 8),
        (one("Conv2DTranspose", start=PICTURE, filters=8, kernel_size=3, strides=2), (-1, 57, 57, 8), 224),
        (one("MaxPooling2D", start=PICTURE, pool_size=[2, 2], strides=None), (-1, 14, 14, 3), 0),
        (one("GlobalMaxPooling2D", start=PICTURE, keepdims=True), (-1, 1, 1, 3), 0),
        (one("UpSampling2D", start=PICTURE, size=[2, 2]), (-1, 56, 56, 3), 0),
        (one("ZeroPadding2D", start=PICTURE, padding=[[1, 2], [0, 0]]), (-1, 31, 28, 3), 0),
        (one("BatchNormalization", start=PICTURE, axis=[3]), (-1, 28, 28, 3), 6),
    ],
)
def test_keras_shapes_and_parameters_equal_model_summary(made: LayerGraph, shape: Any, parameters: int) -> None:
    """The numbers are those that `model.summary()` tells."""
    assert (made.shapes(1), made.parameters(1), made.notes) == ((shape,), parameters, ())


def test_keras_channels_may_be_first() -> None:
    start = layer("InputLayer", "x", batch_shape=[None, 3, 28, 28])
    made = one("Conv2D", start=start, filters=8, kernel_size=3, data_format="channels_first")
    assert (made.shapes(1), made.parameters(1)) == (((-1, 8, 26, 26),), 224)


def test_keras_build_shape_gives_the_input_shape() -> None:
    made = read(model(START, layer("MyLayer", "mine"), layer("Dense", "d", units=3, built=[None, 7])))
    assert made.shapes(1) == ((-1, 7),)
    assert made.parameters(2) == 24


def test_keras_unknown_layers_have_a_note_and_no_parameters() -> None:
    made = read(model(START, *(layer(f"Mine{number}", f"m{number}") for number in range(7)), layer("Mine0", "again")))
    assert [made.parameters(row) for row in range(9)] == [0] * 9
    assert made.shapes(1) == ()
    assert made.notes == ("the parameters of 8 layers are not counted: Mine0, Mine1, Mine2, Mine3, Mine4, …",)


def test_keras_3_operations_are_layers_without_parameters() -> None:
    operation = layer("Add", "add", calls=[call(("x", [None, 3]))]) | {"module": "keras.src.ops.numpy"}
    made = read(model(operation | {"class_name": "Einsum"}, class_name="Functional"))
    assert (made.parameters(0), made.notes) == (0, ())


def test_keras_impossible_parameters_are_not_counted() -> None:
    made = one("Dense", units=1 << 60)
    assert made.parameters(1) == 0
    assert made.notes == ("the parameters of 1 layers are not counted: Dense",)


def test_keras_configuration_is_described() -> None:
    written = layer(
        "Dense",
        "d",
        units=3,
        use_bias=True,
        activation="relu",
        bias_regularizer=None,
        dtype={"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}},
        kernel_initializer={"class_name": "GlorotUniform", "config": {"seed": None}},
        kernel_regularizer={"class_name": "L2", "config": {"l2": 0.01}},
        kernel_size=[3, 3],
        options={"a": 1},
        long="x\n" * 300,
    )
    assert dict(read(model(written)).attributes(0)) == {
        "activation": "relu",
        "bias_regularizer": "none",
        "dtype": "float32",
        "kernel_initializer": "GlorotUniform",
        "kernel_regularizer": "L2(l2=0.01)",
        "kernel_size": "[3, 3]",
        "long": "x " * 120 + "… (600 characters)",
        "options": '{"a": 1}',
        "units": "3",
        "use_bias": "true",
    }


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the model is no valid JSON: Expecting value"),
        (b"{\xff", "the model is no valid JSON: 'utf-8' codec"),
        (b'{"class_name": "Sequential"', "the model is no valid JSON: Expecting ',' delimiter"),
        (b"[1]", "the JSON here describes no model"),
        (b'"text"', "the JSON here describes no model"),
        (b"{}", "the layers of this model were not written"),
        (b'{"class_name": "Mine", "config": {}}', "the layers of this Mine were not written: only sequential and func"),
        (b'{"class_name": "Sequential", "config": {"layers": []}}', "the model has no layers"),
        (b'{"config": {"layers": [3, null]}}', "the model has no layers"),
        (b"[" * 100_000, "the model is nested too deep to be shown"),
    ],
)
def test_keras_invalid_model_is_refused_with_a_message(data: bytes, why: str) -> None:
    with pytest.raises(GraphError, match=f"^{re.escape(why)}"):
        read_keras_model(data)


def test_keras_endless_nesting_is_refused() -> None:
    written = b'{"config": {"layers": [' * 300 + b"]}}" * 300
    with pytest.raises(GraphError, match=r"the model (has no layers|is nested too deep to be shown)"):
        read_keras_model(written)


def test_keras_invalid_layers_are_dropped_and_counted() -> None:
    made = read(model(START, 3, {"class_name": "Dense", "config": None}, layer("Dense", "d", units=2)))
    assert made.names == ["net/x", "net/d"]
    assert made.notes == ("2 layers that cannot be read are left out",)


def test_keras_names_may_be_missing_duplicate_or_no_text() -> None:
    made = read(model({"class_name": "Dense", "config": {"name": 3}}, START, START, {"config": {}}))
    assert made.names == ["net/dense", "net/x", "net/x", "net/"]


def test_keras_lone_surrogates_become_question_marks() -> None:
    made = read_keras_model(
        rb'{"config": {"name": "a\ud800", "layers": [{"config": {"name": "\udfff", "x": "\ud83d"}}]}}'
    )
    assert made.names == ["a?/?"]
    assert made.attributes(0) == (("x", "?"),)


def test_keras_recursive_model_terminates() -> None:
    written = nested()
    written["config"]["layers"][1]["config"]["output_layers"] = [["encoder", 0, 0], ["code", 0, 0]]
    assert inputs(read(written))["net/out"] == ["net/encoder/encoder"]


WHOLE = nested()
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["config", "layers", "name"]), inner),
    max_leaves=6,
)


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a JSON that another value may take."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += [(value, key), *places_in(inner)]
    return found


def look_at_all_of(made: LayerGraph) -> None:
    """Everything a pane asks."""
    for row, name in enumerate(made.names):
        assert isinstance(name, str)
        assert all(isinstance(source, str) for source in made.inputs[row])
        assert all(shape is None or min(shape, default=0) >= -1 for shape in made.shapes(row))
        assert 0 <= made.parameters(row) < 1 << 63
        assert all(len(text) < 300 for _, text in made.attributes(row))
    assert all(isinstance(note, str) for note in made.notes)


@given(st.data())
def test_keras_any_values_anywhere_are_read_or_refused(data: st.DataObject) -> None:
    written = json.loads(json.dumps(WHOLE))
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(places_in(written)))
        holder[key] = data.draw(JSON_VALUES)
    try:
        made = read(written)
    except GraphError:
        return
    look_at_all_of(made)


@given(st.integers(0, len(encoded(WHOLE)) - 1))
def test_keras_truncated_models_are_refused(end: int) -> None:
    with pytest.raises(GraphError, match="the model is no valid JSON"):
        read_keras_model(encoded(WHOLE)[:end])


@given(
    st.sampled_from(["Conv2D", "Dense", "LSTM", "Reshape", "MultiHeadAttention", "Bidirectional", "ZeroPadding2D"]),
    st.dictionaries(
        st.sampled_from(
            ["units", "filters", "kernel_size", "strides", "target_shape", "num_heads", "key_dim", "padding"]
        ),
        JSON_VALUES,
    ),
    st.lists(st.none() | st.integers(-5, 1 << 62), max_size=5),
)
def test_keras_unusual_configurations_are_ignored(
    class_name: str, config: dict[str, Any], shape: list[int | None]
) -> None:
    look_at_all_of(one(class_name, start=layer("InputLayer", "x", batch_shape=shape), **config))


@pytest.mark.parametrize(
    ("class_name", "config"),
    [
        ("Reshape", {"target_shape": [1 << 62] * 100_000}),
        ("BatchNormalization", {"axis": [1] * 100_000}),
        ("Flatten", {"batch_input_shape": [1 << 62] * 100_000}),
    ],
)
def test_keras_impossible_lengths_are_not_multiplied(class_name: str, config: dict[str, Any]) -> None:
    began = time.process_time()
    look_at_all_of(one(class_name, start=layer("InputLayer", "x", batch_shape=[None, 1 << 62]), **config))
    assert time.process_time() - began < 2
