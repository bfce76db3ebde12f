"""Frozen dataclasses that are fast to define.

`dataclasses.dataclass(frozen=True, slots=True)` compiles six functions for every class, which takes half a millisecond,
and two hundred classes are defined before the first chart. Here all classes share their functions. Only `__init__`
differs: it is made when the first instance of a class is created, from one that was compiled for another class with as
many fields, by replacing the names of the fields in its code. In a Python whose code objects have another layout, each
`__init__` is compiled, as the standard library does. The standard library describes the fields, for `fields`, `replace`
and `asdict`, when they are first asked for. A class takes 15 µs this way.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType

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
    attribute that is not a field, not even of a subclass that is not a dataclass. `InitVar`, `KW_ONLY`, and `init` and
    `hash` of `field` are not supported. Methods that the class defines are kept.

    Args:
        cls: The class.
        slots: Instances have no `__dict__`; `functools.cached_property` needs `slots=False`.
        eq: Instances with equal fields are equal, and have the same hash.
    """
    if cls is None:
        return lambda decorated: _frozen(decorated, slots=slots, eq=eq)
    return _frozen(cls, slots=slots, eq=eq)


class _FieldDefinition(NamedTuple):
    """A field as the class statement has it: its annotation, and its default, a `Field` or MISSING."""

    annotation: Any
    value: Any

    def option(self, name: str, default: Any) -> Any:
        """Return an attribute of the `Field`; the default for a field without one."""
        return getattr(self.value, name) if isinstance(self.value, Field) else default

    @property
    def default(self) -> Any:
        """The default of the parameter, or MISSING."""
        return self.option("default", self.value)

    @property
    def is_keyword_only(self) -> bool:
        """True if the parameter is only accepted by its name."""
        return self.option("kw_only", default=False) is True  # MISSING where `field` does not say it


def _frozen(cls: type[Any], *, slots: bool, eq: bool) -> type[Any]:
    namespace = dict(cls.__dict__)
    inherited: dict[str, _FieldDefinition] = getattr(cls, "_field_definitions", {})
    own = {
        name: _FieldDefinition(annotation, namespace.get(name, MISSING))
        for name, annotation in cls.__annotations__.items()
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar"))
    }
    definitions = inherited | own
    for name, definition in own.items():
        if slots or (definition.default is MISSING and definition.value is not MISSING):
            namespace.pop(name, None)
        elif definition.value is not MISSING:
            namespace[name] = definition.default
    namespace |= {
        "__doc__": cls.__doc__ or cls.__name__,
        "_field_definitions": definitions,
        "__dataclass_fields__": _FIELDS,
        "__dataclass_params__": _PARAMETERS,
        "__match_args__": tuple(name for name, each in definitions.items() if not each.is_keyword_only),
    }
    shared: dict[str, Any] = {
        "__init__": _run_first_init,
        "__setattr__": _reject_set,
        "__delattr__": _reject_delete,
        "__repr__": _build_repr,
    }
    if eq:
        shared |= _build_comparison(
            [name for name, each in definitions.items() if each.option("compare", default=True)]
        )
    if slots:
        namespace["__slots__"] = tuple(name for name in own if name not in inherited)
        shared |= {"__getstate__": _state, "__setstate__": _set_state}
    namespace.pop("__dict__", None)
    namespace.pop("__weakref__", None)
    for name, function in shared.items():
        if namespace.get(name) is None:  # Python sets __hash__ to None in a class that defines __eq__
            namespace[name] = function
    metaclass: Any = type(cls)
    made: type[Any] = metaclass(cls.__name__, cls.__bases__, namespace)  # `__slots__` work in a new class only
    return made


class _StandardDescription:
    """An attribute of a class that the standard library computes for dataclasses, computed on first use."""

    def __init__(self, name: str) -> None:
        """Name the attribute."""
        self.name = name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        """Have the standard library describe a class with the same fields; keep the description."""
        cls: Any = next(each for each in owner.__mro__ if each.__dict__.get(self.name) is self)
        body = {name: each.value for name, each in cls._field_definitions.items() if each.value is not MISSING}
        body["__annotations__"] = {name: each.annotation for name, each in cls._field_definitions.items()}
        body["__module__"] = cls.__module__
        body["__doc__"] = cls.__name__  # else the standard library computes the signature, which is slow
        model: Any = dataclasses.dataclass(frozen=True, init=False, repr=False, eq=False)(type(cls.__name__, (), body))
        value = getattr(model, self.name)
        setattr(cls, self.name, value)
        return value


_FIELDS = _StandardDescription("__dataclass_fields__")
_PARAMETERS = _StandardDescription("__dataclass_params__")


def _run_first_init(self: Any, *args: object, **values: object) -> None:
    """Make the `__init__` of the class that this one stands for, put it into the class, and call it."""
    cls: Any = next(each for each in type(self).__mro__ if each.__dict__.get("__init__") is _run_first_init)
    cls.__init__ = _make_init(cls)
    cls.__init__(self, *args, **values)


class _InitShape(NamedTuple):
    """Everything in which an `__init__` differs from others besides the names of its fields."""

    positional: tuple[bool, ...]
    """True for each positional parameter whose default comes from a factory."""

    by_keyword: tuple[bool, ...]
    """The same for the parameters that are only accepted by their names."""

    has_check: bool
    """True if the class defines `__post_init__`."""


_CODES: dict[_InitShape, CodeType] = {}
"""Compiled bodies of `__init__`, whose fields are named `field_0`, `field_1` …"""

_SET, _MISSING, _FACTORY = "__frozen_set__", "__frozen_missing__", "__frozen_make_{}__"
"""Global names in the code of `__init__`, which no field has."""


def _make_init(cls: type[Any]) -> Callable[..., None]:
    """Return the `__init__` of a class."""
    definitions: dict[str, _FieldDefinition] = cls._field_definitions
    positional = [name for name, each in definitions.items() if not each.is_keyword_only]
    by_keyword = [name for name, each in definitions.items() if each.is_keyword_only]
    names = [*positional, *by_keyword]
    factories = {name: definitions[name].option("default_factory", MISSING) for name in names}
    defaults = {name: definitions[name].default for name in names}  # MISSING is the default of a field with a factory
    optional = {name for name in names if defaults[name] is not MISSING or factories[name] is not MISSING}

    has_factory = [factories[name] is not MISSING for name in names]
    shape = _InitShape(
        tuple(has_factory[: len(positional)]), tuple(has_factory[len(positional) :]), hasattr(cls, "__post_init__")
    )
    if shape not in _CODES:
        _CODES[shape] = _compile_init(_number_fields(len(names)), shape)
    code = _rename_fields(_CODES[shape], names) or _compile_init(names, shape)
    scope = {_FACTORY.format(index): factories[name] for index, name in enumerate(names)}
    init = FunctionType(code, {_SET: object.__setattr__, _MISSING: MISSING, **scope}, "__init__")
    init.__defaults__ = tuple(defaults[name] for name in positional if name in optional)
    init.__kwdefaults__ = {name: defaults[name] for name in by_keyword if name in optional}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _number_fields(count: int) -> list[str]:
    return [f"field_{index}" for index in range(count)]


def _rename_fields(code: CodeType, names: Sequence[str]) -> CodeType | None:
    """Return the code of an `__init__` with other names of fields; None if it has an unknown layout.

    In CPython 3.10 to 3.13 a field is named twice: as a local variable, and as the constant that is passed to
    `object.__setattr__`.
    """
    numbered = _number_fields(len(names))
    constants = [value for value in code.co_consts if value in numbered]
    if code.co_varnames != ("self", *numbered) or sorted(constants) != sorted(numbered) or code.co_cellvars:
        return None
    renamed = dict(zip(numbered, names, strict=True))
    try:
        return code.replace(
            co_varnames=("self", *names), co_consts=tuple(renamed.get(value, value) for value in code.co_consts)
        )
    except (TypeError, ValueError):
        return None


def _compile_init(names: Sequence[str], shape: _InitShape) -> CodeType:
    """Compile an `__init__` with fields of these names, the positional ones first."""
    count = len(shape.positional)
    parameters = ["self", *names[:count], *(["*"] if shape.by_keyword else []), *names[count:]]
    values = [
        f"{_FACTORY.format(index)}() if {name} is {_MISSING} else {name}" if has_factory else name
        for index, (name, has_factory) in enumerate(zip(names, (*shape.positional, *shape.by_keyword), strict=True))
    ]
    lines = [f" {_SET}(self, '{name}', {value})" for name, value in zip(names, values, strict=True)]
    if shape.has_check:
        lines.append(" self.__post_init__()")
    scope: dict[str, Any] = {}
    exec(f"def __init__({', '.join(parameters)}):\n" + ("\n".join(lines) or " pass"), scope)  # noqa: S102 - no input
    code: CodeType = scope["__init__"].__code__
    return code


def _build_comparison(names: list[str]) -> dict[str, Any]:
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


def _build_repr(self: Any) -> str:
    values = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({values})"


def _reject_set(_: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _reject_delete(_: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self._field_definitions]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self._field_definitions, state, strict=True):
        object.__setattr__(self, name, value)
