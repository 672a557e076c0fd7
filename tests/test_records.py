"""A record is what a dataclass of the same declarations would be."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from utp_cli.protocol.records import MutableRecord, Record, field, replace


class Point(Record):
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    secret: list[str] = field(default_factory=list, repr=False)

    @property
    def far(self) -> bool:
        return self.x > 10


class Named(Point):
    y: int
    name: str = "p"


class Tally(MutableRecord):
    count: int = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class DataPoint:
    x: int
    y: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)
    secret: list[str] = dataclasses.field(default_factory=list, repr=False)


def test_fields_and_defaults() -> None:
    point = Point(x=1)
    assert (point.x, point.y, point.tags, point.far) == (1, 0, [], False)
    assert Point(x=1).tags is not point.tags
    assert repr(Point(x=1, tags=["a"])) == repr(DataPoint(x=1, tags=["a"])).replace("DataPoint", "Point")


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}, {"y": 1, "z": 2}])
def test_unknown_and_lacking_fields_raise(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Point: unknown"):
        Point(**given)


def test_a_class_below_may_require_what_had_a_default() -> None:
    assert Named(x=1, y=2) == Named(name="p", y=2, x=1)
    with pytest.raises(TypeError, match=r"lacking \['y'\]"):
        Named(x=1)  # type: ignore[call-arg]


def test_equality_is_of_class_and_fields() -> None:
    assert Point(x=1) == Point(x=1)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1, y=2) != Named(x=1, y=2)
    assert len({Plain(a=1), Plain(a=1), Plain(a=2)}) == 2
    assert hash(Point(x=1, tags=["a"])) == hash(Point(x=1))
    with pytest.raises(TypeError):
        hash(Tally())


class Plain(Record):
    a: int


def test_a_record_does_not_change_and_a_mutable_one_does() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    tally = Tally()
    tally.count += 1
    assert tally == Tally(count=1)


def test_copies() -> None:
    point = Named(x=1, y=2, tags=["a"])
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == copy.copy(point) == point  # noqa: S301
    assert replace(point, x=5) == Named(x=5, y=2, tags=["a"])


def test_the_functions_of_dataclasses_take_records() -> None:
    point = Point(x=1, tags=["a"])
    assert dataclasses.replace(point, x=5) == replace(point, x=5)
    assert dataclasses.asdict(point) == dataclasses.asdict(DataPoint(x=1, tags=["a"]))
    told = [(made.name, made.type, made.default) for made in dataclasses.fields(Point)]
    assert told == [(made.name, made.type, made.default) for made in dataclasses.fields(DataPoint)]


def test_a_class_of_which_many_are_made_keeps_to_its_declarations() -> None:
    class Base(Record):
        a: int
        b: list[int] = field(default_factory=list)

    class Below(Base):
        a: int = 5
        c: str = "c"

    some = [Base(a=number) for number in range(500)]
    assert some[-1] == Base(a=499, b=[])
    assert some[0].b is not some[-1].b
    assert [Below(c="d"), Below(a=1, b=[2])] == [Below(a=5, b=[], c="d"), Below(a=1, b=[2], c="c")]
    for wrong in ({}, {"a": 1, "z": 2}, {"z": 2}):
        with pytest.raises(TypeError):
            Base(**wrong)  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps([Plain(a=n) for n in range(300)]))[-1] == Plain(a=299)  # noqa: S301
