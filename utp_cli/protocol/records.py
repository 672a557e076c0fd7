"""Values with named fields: what a dataclass is, without the cost of declaring one.

For every dataclass Python writes, compiles and runs the source of up to eight methods: 0.5 to 0.8 ms each, and a start
declares a hundred. A record inherits its methods, which read the names of the fields from its class: 0.02 ms. A class
of which many are made gets an `__init__` that is written for its fields, which takes half as long. All arguments go by
name. The functions of `dataclasses` (`replace`, `fields`, `asdict`) take records too.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import Field
    from functools import cached_property

    Factory = Callable[[], Any]

R = TypeVar("R", bound="_Fields")

_OFTEN = 200
"""Records of one class, from which on writing its `__init__` (0.3 ms) pays."""


def field(*, default_factory: Factory, repr: bool = True) -> Any:  # noqa: A002 - the names that `dataclasses` has
    """Declare a default that is made anew for every record; `repr=False`: it is not shown."""
    return _Made(default_factory, shown=repr)


class _Made:
    """What stands at a field whose default is made."""

    def __init__(self, factory: Factory, *, shown: bool) -> None:
        self.factory = factory
        self.shown = shown


class _DataclassFields:
    """What the functions of `dataclasses` ask a class for: worked out when one of them asks."""

    def __get__(self, _: object, cls: type[_Fields]) -> dict[str, Field[Any]]:
        return _as_dataclass(cls)  # type: ignore[arg-type]  # a class has a hash, whatever its values have


@cache
def _as_dataclass(cls: type[_Fields]) -> dict[str, Field[Any]]:
    import dataclasses  # noqa: PLC0415 - records are there to do without

    fields = {name: dataclasses.field() for name in cls._types}
    fields |= {name: dataclasses.field(default=value) for name, value in cls._defaults.items()}
    fields |= {name: dataclasses.field(default_factory=made) for name, made in cls._factories.items()}
    listed = [(name, type_, fields[name]) for name, type_ in cls._types.items()]
    made_alike: Any = dataclasses.make_dataclass(cls.__name__, listed, kw_only=True)
    return dict(made_alike.__dataclass_fields__)


class _Fields:  # noqa: PLW1641 - what changes has no hash
    """The fields of a class and the methods that follow from them."""

    _types: ClassVar[Mapping[str, Any]] = {}
    """Every field, those of the classes above first, with its type as it is written."""
    _defaults: ClassVar[Mapping[str, Any]] = {}
    _factories: ClassVar[Mapping[str, Factory]] = {}
    _hidden: ClassVar[frozenset[str]] = frozenset()
    """Fields that `repr` leaves out."""
    _made: ClassVar[int] = 0
    """How many were made, up to `_OFTEN`."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _DataclassFields()

    def __init_subclass__(cls) -> None:
        """Read the declarations of a class; what it does not change it shares. A start does this a hundred times."""
        super().__init_subclass__()
        space = cls.__dict__
        own = space.get("__annotations__")
        if not own:
            return
        defaults, made = dict(cls._defaults), {}
        for name in own:
            value = space.get(name, cls)
            if value is cls:
                defaults.pop(name, None)
            elif isinstance(value, _Made):
                made[name] = value
            else:
                defaults[name] = value
        cls._types, cls._defaults = {**cls._types, **own}, defaults
        if made:
            cls._factories = {**cls._factories, **{name: value.factory for name, value in made.items()}}
            cls._hidden |= {name for name, value in made.items() if not value.shown}
        cls._made = 0
        if "__init__" not in space:  # one that was written for the class above has other fields
            cls.__init__ = _Fields.__init__  # type: ignore[method-assign]

    def __init__(self, **given: Any) -> None:
        """Take every field by name. Raises `TypeError` for one that is unknown or lacking."""
        values = self.__dict__
        values |= self._defaults
        values |= given
        for name, factory in self._factories.items():
            if name not in given:
                values[name] = factory()
        if values.keys() != self._types.keys():
            unknown, lacking = given.keys() - self._types.keys(), self._types.keys() - values.keys()
            raise TypeError(f"{type(self).__name__}: unknown {sorted(unknown)}, lacking {sorted(lacking)}")
        cls = type(self)
        cls._made += 1
        if cls._made == _OFTEN:
            cls.__init__ = _written(cls)  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Write it as the call that makes it."""
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._types if name not in self._hidden)
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: object) -> bool:
        """Compare the fields; what is no record of the same class is not equal."""
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._types)


def _written(cls: type[_Fields]) -> Any:
    """Write the `__init__` of a class for its fields, as `dataclasses` does: defaults stand in its signature."""
    names: dict[str, Any] = {"_MISSING": _MISSING}
    signature, body = ["self", "*"], ["_into = self.__dict__"]
    into = "_into[{!r}]" if issubclass(cls, Record) else "self.{}"  # what changes is set the cheaper way
    for name in cls._types:
        made = f"_make_{name}"
        if name in cls._factories:
            names[made] = factory = cls._factories[name]
            new = "[]" if factory is list else "{}" if factory is dict else f"{made}()"
            signature.append(f"{name}=_MISSING")
            body.append(f"{into.format(name)} = {new} if {name} is _MISSING else {name}")
            continue
        if name in cls._defaults:
            names[made] = cls._defaults[name]
        signature.append(f"{name}={made}" if name in cls._defaults else name)
        body.append(f"{into.format(name)} = {name}")
    exec(f"def __init__({', '.join(signature)}):\n " + "\n ".join(body), names)  # noqa: S102 - names of fields only
    return names["__init__"]


_MISSING = object()
"""Stands for an argument that was not given."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Record(_Fields):
    """A value that never changes. Equal where all fields are; hashable where they are (but for those that are made)."""

    def __hash__(self) -> int:
        return hash(tuple([getattr(self, name) for name in self._types if name not in self._factories]))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cannot assign to {name}: a {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete {name}: a {type(self).__name__} does not change")


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class MutableRecord(_Fields):
    """A record whose fields are filled in as work goes on."""


if TYPE_CHECKING:
    kept = cached_property
else:

    class kept:  # noqa: N801 - it decorates
        """A property that is worked out when first asked for, and kept.

        As `functools.cached_property`, without its lock, which up to Python 3.11 is one for all objects of a class:
        threads wait for each other, and taking it costs more than most of what is kept.
        """

        def __init__(self, work: Callable[[Any], Any]) -> None:
            self._work = work
            self.__doc__ = work.__doc__

        def __set_name__(self, _: type, name: str) -> None:
            self._name = name

        def __get__(self, one: Any, _: type | None = None) -> Any:
            if one is None:
                return self
            found = one.__dict__[self._name] = self._work(one)
            return found


def replace(record: R, **changes: Any) -> R:
    """Return a record with some of its fields changed, as `dataclasses.replace` does."""
    return type(record)(**{**{name: getattr(record, name) for name in record._types}, **changes})  # noqa: SLF001
