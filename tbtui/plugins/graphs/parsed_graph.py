"""Interface of parsed graphs of all formats: columns with one entry for each node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]


Shape = tuple[int, ...]
"""Shape of a tensor: -1 is an unknown length, () is a scalar."""


class Parameter(NamedTuple):
    """A trained tensor. A tensor that is shared, tied or read by several calls is one parameter."""

    nodes: tuple[int, ...]
    """Nodes that hold it, at least one: a variable, each read in a trace of PyTorch, a layer of Keras."""

    elements: int
    """Number of elements."""

    is_at_least: bool = False
    """True if `elements` is a lower bound; a lower bound of 0 means that nothing is known."""


class Attribute(Protocol):
    """One attribute of a node as text."""

    @property
    def name(self) -> str:
        """Name as written."""

    @property
    def text(self) -> str:
        """Value in one line; a long value is cut and states its length."""


class Function(Protocol):
    """A function of the library; its nodes are among those of the graph."""

    @property
    def name(self) -> str:
        """Operation of the nodes that call it."""

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """Name and type of each argument, such as `("x", "float32")`."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""

    @property
    def returned(self) -> tuple[str, ...]:
        """Input string (`Identity:output:0`) of each output; empty if it is unknown."""

    @property
    def shapes(self) -> tuple[Shape | None, ...]:
        """Shapes of the arguments, as far as they were written."""

    @property
    def nodes(self) -> range:
        """Rows of its nodes. Their names and inputs are local: they do not begin with the name of the function."""


class ParsedGraph(Protocol):
    """Columns with one entry for each node in file order: nodes of the graph first, then nodes of its functions.

    Several graphs in one value are merged already, with the prefixes `graph_1/` and so on in their names.
    """

    @property
    def names(self) -> Sequence[str]:
        """Names; they may be empty, duplicated or very long."""

    @property
    def ops(self) -> Sequence[str]:
        """Type of each operation (`MatMul`, `aten::linear`) or class of a layer (`Dense`)."""

    @property
    def devices(self) -> Sequence[str]:
        """Devices such as `/device:GPU:0`; empty if none is given."""

    @property
    def inputs(self) -> Sequence[Sequence[str]]:
        """Inputs as written: `name`, `name:1`, `name:output:0` in functions, `^name` for control inputs."""

    @property
    def functions(self) -> Sequence[Function]:
        """The library of functions."""

    @property
    def layers(self) -> bool:
        """True for layers of a model (Keras), False for operations."""

    @property
    def losses(self) -> Sequence[str]:
        """Sentences with counts of parts that could not be read."""

    @property
    def notes(self) -> Sequence[str]:
        """Sentences with counts of parts that could not be read or counted."""

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Return the shapes of the outputs of a node; None is unknown."""

    @property
    def all_parameters(self) -> Sequence[Parameter]:
        """Trained parameters, each once."""

    def parameters(self, node: int) -> int:
        """Return the number of trained parameters of a node that no earlier node has; 0 if it is unknown."""

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """Return all attributes of a node, in the order of their names."""
