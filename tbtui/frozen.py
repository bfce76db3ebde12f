"""Frozen dataclasses that are fast to define.

`dataclasses.dataclass(frozen=True, slots=True)` compiles six functions for every class. That takes half a millisecond,
and over a hundred classes are imported before the first chart. Here the standard library only collects the fields, so
that `fields`, `replace` and `asdict` work. All classes share their functions except `__init__`, which is compiled when
the first instance of a class is created.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[Any], Any]:
        """Replace the decorator at run time; only type checkers need it."""
        return lambda decorator: decorator


C = TypeVar("C")


@overload
def frozen(cls: type[C], /) -> type[C]: ...
@overload
def frozen(*, slots: bool = True, eq: bool = True) -> Callable[[type[C]], type[C]]: ...
@dataclass_transform(frozen_default=True)
def frozen(cls: type[Any] | None = None, /, *, slots: bool = True, eq: bool = True) -> Any:
    """Make a class a frozen dataclass: `@frozen`, or `@frozen(eq=False)`.

    It differs from `dataclass(frozen=True, slots=slots, eq=eq)` as follows. Instances are compared as tuples of their
    fields in every version of Python, so that identical values are equal, also NaN and arrays. No instance accepts an
    attribute that is not a field, not even of a subclass that is not a dataclass. `InitVar`, and `init` and
    `hash` of `field` are not supported. Methods that the class defines are kept.

    Args:
        cls: The class.
        slots: Instances have no `__dict__`; `functools.cached_property` needs `slots=False`.
        eq: Instances with equal fields are equal, and have the same hash.
    """
    if cls is None:
        return lambda decorated: _frozen(decorated, slots=slots, eq=eq)
    return _frozen(cls, slots=slots, eq=eq)


def _frozen(cls: type[Any], *, slots: bool, eq: bool) -> type[Any]:
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # else the standard library computes the signature, which is slow
    dataclass_type: type[Any] = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    names = [field.name for field in fields(dataclass_type) if field.compare]
    shared: dict[str, Any] = {
        "__setattr__": _reject_set,
        "__delattr__": _reject_delete,
        "__init__": _first_init(dataclass_type),
        "__repr__": _repr,
    }
    if eq:
        shared |= _comparison(names)
    if slots:
        shared |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, function in shared.items():
        if dataclass_type.__dict__.get(name) is None:  # Python sets __hash__ to None in a class that defines __eq__
            setattr(dataclass_type, name, function)
    return dataclass_type


def _first_init(cls: type[Any]) -> Callable[..., None]:
    """Return an `__init__` that compiles its replacement when it is first called."""

    def __init__(self: object, *args: object, **values: object) -> None:  # noqa: N807 - the name in tracebacks
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *args, **values)

    return __init__


def _compiled_init(cls: type[Any]) -> Callable[..., None]:
    parameters, keywords, lines = ["self"], list[str](), list[str]()
    scope: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    for field in fields(cls):
        name, value = field.name, field.name
        if field.default is not MISSING:
            scope[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        elif field.default_factory is not MISSING:
            scope[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_MISSING"
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        else:
            parameter = name
        (keywords if field.kw_only else parameters).append(parameter)
        lines.append(f" _set(self, {name!r}, {value})\n")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()\n")
    signature = ", ".join([*parameters, *(["*", *keywords] if keywords else [])])
    exec(f"def __init__({signature}):\n{''.join(lines) or ' pass'}", scope)  # noqa: S102 - only names of fields
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _comparison(names: list[str]) -> dict[str, Any]:
    """Return `__eq__` and `__hash__` over fields."""
    values: Callable[[Any], tuple[Any, ...]]
    if len(names) > 1:
        values = attrgetter(*names)
    else:

        def values(instance: Any) -> tuple[Any, ...]:
            return tuple(getattr(instance, name) for name in names)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _repr(self: Any) -> str:
    values = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({values})"


def _reject_set(_: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _reject_delete(_: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
