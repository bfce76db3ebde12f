"""A graph as it is written: what the rules of this room are applied to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = tuple[int, ...]
"""Of a tensor: -1 is a length that is not known; () is a scalar."""


class Attribute(Protocol):
    """One attribute of a node, in words: a NamedTuple of these, or anything that has them."""

    @property
    def name(self) -> str:
        """As written."""

    @property
    def text(self) -> str:
        """Its value in one line; long ones are cut and say how long they are."""


class Function(Protocol):
    """A function of a graph's library; its nodes are among those of the graph."""

    @property
    def name(self) -> str:
        """What a node has as its op that calls it."""

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """Name and type of each, such as `("x", "float32")`."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of what it returns."""

    @property
    def returned(self) -> tuple[str, ...]:
        """Where each of `outputs` comes from, written as the inputs of its nodes are; empty where that is not told."""

    @property
    def shapes(self) -> tuple[Shape | None, ...]:
        """Of its arguments, as far as they were written."""

    @property
    def nodes(self) -> range:
        """Rows of its nodes; their names and inputs are as the function has them, without its name before them."""


class Written(Protocol):
    """Columns with one entry for each node in the order of the file: first those of the graph, then of its functions.

    Several graphs that were written as one value are one graph already, with `graph_1/` and so on before their names.
    """

    @property
    def names(self) -> Sequence[str]:
        """May be empty, may occur twice, may be very long."""

    @property
    def ops(self) -> Sequence[str]:
        """Type of each operation (`MatMul`, `aten::linear`) or the class of a layer (`Dense`)."""

    @property
    def devices(self) -> Sequence[str]:
        """Such as `/device:GPU:0`; empty where none is given."""

    @property
    def inputs(self) -> Sequence[Sequence[str]]:
        """As written: `name`, `name:1`, `name:output:0` in functions, `^name` for what is only waited for."""

    @property
    def functions(self) -> Sequence[Function]:
        """The library."""

    @property
    def layers(self) -> bool:
        """True of a model's layers (Keras), False of operations."""

    @property
    def notes(self) -> Sequence[str]:
        """What could not be read, in plain words with counts."""

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node, as far as they were written; None is unknown."""

    def parameters(self, node: int) -> int:
        """How many numbers a node holds that are trained, 0 when it holds none or their shape was not written."""

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """All there are, in the order of their names."""
