"""Classes made by `frozen` are what the standard library makes, but for the time it takes."""

from __future__ import annotations

import copy
import dataclasses
import gc
import importlib
import pickle
import pkgutil
import subprocess
import sys
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from inspect import signature
from threading import Barrier, Thread
from types import FunctionType, MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pytest

import tbtui
import tbtui.frozen as frozen_module
from tbtui.frozen import frozen


@frozen
class Point:
    """Ours."""

    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)
    ORIGIN: ClassVar[str] = "corner"

    def doubled(self) -> Point:
        """A method."""
        return replace(self, x=2 * self.x)


@dataclass(frozen=True, slots=True)
class StandardPoint:
    """The standard library's."""

    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)
    ORIGIN: ClassVar[str] = "corner"


@frozen(slots=False)
class Base:
    """With a `__dict__`."""

    a: int

    @cached_property
    def square(self) -> int:
        """Kept once it was asked for."""
        return self.a * self.a


@frozen(slots=False, eq=False)
class Derived(Base):
    """More fields, other equality."""

    b: int = 3


@frozen
class Checked:
    """Refuses some values, and takes one by name alone."""

    value: int
    unit: str = field(default="s", kw_only=True)

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative")


@frozen
class Nothing:
    """No fields."""


@frozen(eq=False)
class Own:
    """Says itself how it is compared and told."""

    a: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@frozen
class Particular:  # noqa: PLW1641 - that is what is asked
    """Says itself when two are equal and what a pickle holds, but not its hash."""

    a: int
    note: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Particular) and self.a == other.a

    def __getstate__(self) -> int:
        return self.a

    def __setstate__(self, state: int) -> None:
        object.__setattr__(self, "a", state)
        object.__setattr__(self, "note", "unpickled")


@frozen
class One:
    """A single field."""

    value: Any


@pytest.mark.parametrize("words", [(1,), (1, 2.0), (1, 2.0, ["a"]), (1, 2.0, ["a"], "n")])
def test_frozen_instances_and_repr_equal_dataclasses(words: tuple[Any, ...]) -> None:
    ours, standard = Point(*words), StandardPoint(*words)
    assert asdict(ours) == asdict(standard)
    assert repr(ours) == repr(standard).replace("StandardPoint", "Point")
    assert (ours == Point(*words)) is (standard == StandardPoint(*words)) is True


def test_frozen_fields_and_parameters_equal_dataclasses() -> None:
    Point(1)
    assert [held.name for held in fields(Point)] == [held.name for held in fields(StandardPoint)]
    assert list(signature(Point).parameters) == list(signature(StandardPoint).parameters)
    assert Point.__match_args__ == StandardPoint.__match_args__  # type: ignore[attr-defined]
    assert Point.__slots__ == StandardPoint.__slots__  # type: ignore[attr-defined]


def test_frozen_default_factories_are_called_per_instance() -> None:
    assert Point(1).tags is not Point(1).tags


@pytest.mark.parametrize("wrong", [Point, lambda: Point(1, z=3), lambda: Point(1, x=1), lambda: Nothing(1)])  # type: ignore[call-arg, misc]
def test_frozen_invalid_keywords_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="__init__"):
        wrong()


def test_frozen_fields_excluded_from_comparison_are_ignored() -> None:
    assert One(1) == One(1.0)
    assert One(1) != 1
    assert Point(1, note="a") == Point(1, note="b")
    assert Nothing() == Nothing()
    assert hash(Checked(1)) == hash(Checked(1)) != hash(Checked(2))


def test_frozen_identical_values_are_equal_even_if_eq_denies_it() -> None:
    values = np.arange(3)
    assert One(values) == One(values)
    nan = float("nan")
    assert One(nan) == One(nan)
    assert One(float("nan")) != One(float("nan"))


def test_frozen_unhashable_values_are_reported() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_frozen_without_eq_compares_by_identity() -> None:
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7
    assert repr(Own(1)) == "own"

    @frozen(eq=False)
    class Plain:
        """Compared by identity."""

        a: int

    @frozen
    class Hashed:
        """Says its hash alone."""

        a: int

        def __hash__(self) -> int:
            return 5

    assert Hashed(1) == Hashed(1)
    assert hash(Hashed(1)) == 5
    one = Plain(1)
    assert one == one  # noqa: PLR0124 - which is what is asked
    assert one != Plain(1)
    assert len({one, Plain(1)}) == 2


def test_frozen_own_eq_and_pickle_methods_are_kept() -> None:
    particular = Particular(1, "a")
    assert particular == Particular(1, "b")
    assert hash(particular) == hash((1, "a"))
    assert pickle.loads(pickle.dumps(particular)).note == "unpickled"


@pytest.mark.parametrize("instance", [Point(1), Base(1), Derived(1), Nothing()])
def test_frozen_attributes_cannot_be_set_or_deleted(instance: Any) -> None:
    for name in ("x", "a", "other"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(instance, name, 1)
        with pytest.raises(FrozenInstanceError, match=name):
            delattr(instance, name)


def test_frozen_subclasses_have_all_fields() -> None:
    derived = Derived(2, 5)
    assert (derived.a, derived.b, derived.square) == (2, 5, 4)
    assert repr(derived) == "Derived(a=2, b=5)"
    assert replace(derived, a=3).square == 9
    assert Derived(1).b == 3


def test_frozen_post_init_runs_for_each_instance() -> None:
    assert Checked(1, unit="m").unit == "m"
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            Checked(-1)
    with pytest.raises(ValueError, match="negative"):
        replace(Checked(1), value=-1)
    with pytest.raises(TypeError):
        Checked(1, "m")  # type: ignore[misc]


@pytest.mark.parametrize(
    "instance", [Point(1, 2.0, ["a"], "n"), Base(4), Derived(1, 2), Checked(1, unit="m"), Nothing()]
)
def test_frozen_copies_and_pickles_are_equal(instance: Any) -> None:
    for same in (copy.copy(instance), copy.deepcopy(instance), pickle.loads(pickle.dumps(instance))):
        assert asdict(same) == asdict(instance)
        assert type(same) is type(instance)


def test_frozen_keyword_only_fields_with_factories_get_values_of_their_own() -> None:
    @frozen
    class Mixed:
        """All kinds of parameters."""

        a: int
        seen: list[int] = field(default_factory=list, kw_only=True)
        b: tuple[int, ...] = ()
        unit: str = field(kw_only=True)

    assert Mixed(1, unit="s") == Mixed(1, (), seen=[], unit="s")
    assert Mixed(1, unit="s").seen is not Mixed(1, unit="s").seen
    assert asdict(Mixed(1, (2,), unit="m", seen=[3])) == {"a": 1, "seen": [3], "b": (2,), "unit": "m"}
    with pytest.raises(TypeError, match="unit"):
        Mixed(1)  # type: ignore[call-arg]
    match Mixed(1, unit="s"):
        case Mixed(a, b):
            assert (a, b) == (1, ())


def test_frozen_classes_with_equally_many_fields_keep_their_names_and_defaults() -> None:
    @frozen
    class Range:
        """Two fields with defaults."""

        low: str = "high"
        high: str = "low"

    @frozen
    class Size:
        """As many fields."""

        width: int
        height: int = 2

    assert (Range(), Range(high="x"), Size(1)) == (Range("high", "low"), Range("high", "x"), Size(width=1, height=2))
    with pytest.raises(TypeError, match="width"):
        Size()  # type: ignore[call-arg]


def test_frozen_class_can_be_the_base_of_a_standard_dataclass() -> None:
    @dataclass(frozen=True)
    class Child(Base):
        """Made by the standard library."""

        b: int = 1

    assert asdict(Child(3)) == {"a": 3, "b": 1}


def test_frozen_subclass_can_change_the_default_of_an_inherited_field() -> None:
    @frozen(slots=False)
    class Changed(Derived):
        """Another default."""

        b: int = 7

    assert (Changed(1).b, Derived(1).b) == (7, 3)
    assert [each.default for each in fields(Changed)][1] == 7


def test_frozen_methods_and_class_variables_are_kept() -> None:
    assert Point(2).doubled().x == 4
    assert Point.ORIGIN == "corner"
    assert "ORIGIN" not in [held.name for held in fields(Point)]
    match Point(3):
        case Point(x, y):
            assert (x, y) == (3, 0.5)


def test_frozen_class_without_a_docstring_computes_no_signature() -> None:
    @frozen
    class Bare:
        a: int

    assert Bare.__doc__ == "Bare"
    assert Bare(1).a == 1


def test_frozen_first_instances_in_many_threads_are_complete() -> None:
    for _ in range(50):

        @frozen
        class Fresh:
            """Has no instance yet."""

            a: int

        barrier, made = Barrier(4), []

        def make(cls: type[Any] = Fresh, barrier: Barrier = barrier, made: list[Any] = made) -> None:
            barrier.wait()
            made.append(cls(1))

        threads = [Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [each.a for each in made] == [1] * 4


def test_frozen_class_without_instances_compiles_nothing() -> None:
    code = (
        "import builtins, dataclasses\n"
        "from tbtui.frozen import frozen\n"
        "ran = []\n"
        "real = builtins.exec\n"
        "builtins.exec = lambda *words: (ran.append('__frozen_set__(self' in words[0]), real(*words))[1]\n"
        "@frozen\n"
        "class Point:\n"
        "    'A point.'\n"
        "    x: int\n"
        "    y: int = 0\n"
        "assert not any(ran)\n"
        "assert Point(1).y == 0 and sum(ran) == 1\n"
        "assert Point(2).x == 2 and sum(ran) == 1\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_frozen_is_dataclass_is_true() -> None:
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.is_dataclass(Point(1))


@pytest.fixture(params=["renamed code", "compiled code"])
def made_either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return True if `__init__` is compiled for each class, as in a Python whose code objects have another layout."""
    is_compiled = request.param == "compiled code"
    if is_compiled:
        monkeypatch.setattr(frozen_module, "_rename_fields", lambda _code, _names: None)
    return is_compiled


@pytest.mark.usefixtures("made_either_way")
def test_frozen_init_equals_dataclasses_however_it_is_made() -> None:
    def define(decorate: Any) -> Any:
        class Sample:
            MISSING: int
            __frozen_set: int = 2
            field_1: list[int] = field(default_factory=list)
            field_0: str = field(default="s", kw_only=True)
            made: dict[str, int] = field(default_factory=dict, kw_only=True)

            def __post_init__(self) -> None:
                if self.MISSING < 0:
                    raise ValueError("negative")

        return decorate(Sample)

    ours, standard = define(frozen), define(dataclass(frozen=True, slots=True))
    for words, named in (((1,), {}), ((1, 5), {"field_0": "t"}), ((1, 5, [3]), {"made": {"a": 1}})):
        assert asdict(ours(*words, **named)) == asdict(standard(*words, **named))
    assert str(signature(ours.__init__)).count("=") == 4
    for words, named in (((), {}), ((1, 2, [], "t"), {}), ((1,), {"unknown": 1})):
        with pytest.raises(TypeError, match="__init__"):
            ours(*words, **named)
    with pytest.raises(ValueError, match="negative"):
        ours(-1)


def test_rename_fields_unknown_layout_is_refused() -> None:
    def numbered(self: object, field_0: int) -> tuple[int, str]:
        return field_0, "field_0"

    def other_variables(self: object, field_1: int) -> tuple[int, str]:
        return field_1, "field_0"

    def without_constant(self: object, field_0: int) -> int:
        return field_0

    def with_closure(self: object, field_0: int) -> Any:
        return (lambda: field_0), "field_0"

    renamed = frozen_module._rename_fields(numbered.__code__, ["size"])
    assert renamed is not None
    assert FunctionType(renamed, {})(None, size=3) == (3, "size")
    for unknown in (other_variables, without_constant, with_closure):
        assert frozen_module._rename_fields(unknown.__code__, ["size"]) is None


def test_defaults_of_all_classes_are_allowed_by_every_python() -> None:
    for module in pkgutil.walk_packages(tbtui.__path__, "tbtui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    classes = [each for each in gc.get_objects() if isinstance(each, type) and "_field_definitions" in vars(each)]
    mutable = [
        f"{cls.__qualname__}.{name}"
        for cls in classes
        if cls.__module__.startswith("tbtui.")
        for name, definition in cls._field_definitions.items()
        # dataclasses refuse defaults without a hash from 3.11 on; views of mappings have one from 3.12 on
        if type(definition.value).__hash__ is None or isinstance(definition.value, MappingProxyType)
    ]
    assert len(classes) > 100
    assert mutable == []
