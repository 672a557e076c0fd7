"""Tools from elsewhere than files: MCP servers that are asked, Python that is imported."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.io.python_source import import_tools
from utp_cli.protocol.errors import BadFile, BadOption, UnknownName
from utp_cli.protocol.tools import Tool

SERVER = Path(__file__).with_name("weather_server.py")


def tools_of(*words: str) -> tuple[list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, ["render-tools", *words, "-f", "mcp"])
    assert done.exit_code == 0, done.stderr
    tools: list[dict[str, Any]] = json.loads(done.stdout)["tools"]
    return tools, done.stderr


# -- MCP -------------------------------------------------------------------------------------------------------


def check_weather(tools: list[dict[str, Any]]) -> None:
    assert [tool["name"] for tool in tools] == ["forecast", "set_station"]
    assert tools[0]["description"] == "Tell the weather of a city."
    assert tools[0]["inputSchema"]["required"] == ["city"]
    assert tools[0]["annotations"] == {"readOnlyHint": True}
    assert tools[1]["inputSchema"]["properties"]["station"]["enum"] == ["north", "south"]


def test_a_server_that_is_a_command_is_asked() -> None:
    pytest.importorskip("mcp.server")
    check_weather(tools_of("--mcp", shlex.join([sys.executable, str(SERVER)]))[0])


@pytest.fixture(params=["http", "sse"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    pytest.importorskip("mcp.server")
    pytest.importorskip("uvicorn")
    command = [sys.executable, str(SERVER), f"--{request.param}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            path = "sse" if request.param == "sse" else "mcp"
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/{path}"
        finally:
            process.terminate()


def test_a_server_over_http_is_asked(address: str) -> None:
    check_weather(tools_of("--mcp", address)[0])


@pytest.mark.parametrize(
    ("source", "error", "says"),
    [
        ("no-such-program-here --x", BadFile, "no such program: no-such-program-here"),
        (shlex.join([sys.executable, "-c", "raise SystemExit('no token given')"]), BadFile, "it said: no token given"),
        ("http://127.0.0.1:9/mcp", BadFile, "gave no tools: "),
        ("'", BadOption, "--mcp takes a URL or a command"),
        (" ", BadOption, "is empty"),
    ],
    ids=["no program", "it fails", "nobody listens", "quotes", "empty"],
)
def test_a_server_that_gives_nothing_is_one_line(source: str, error: type[Exception], says: str) -> None:
    pytest.importorskip("mcp")
    from utp_cli.io.mcp_source import list_mcp_tools

    with pytest.raises(error) as raised:
        list_mcp_tools(source)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    pytest.importorskip("mcp")
    from utp_cli.io.mcp_source import list_mcp_tools

    silent = shlex.join([sys.executable, "-c", "import sys; sys.stdin.read()"])
    with pytest.raises(BadFile, match=r"no answer within 0\.5 seconds"):
        list_mcp_tools(silent, timeout=0.5)


# -- Python ----------------------------------------------------------------------------------------------------

MODULE = '''
import functools
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal, Required, TypedDict

from pydantic import BaseModel, Field


class Address(BaseModel):
    """Where somebody lives."""

    street: str
    zip: str | None = None


class Move(BaseModel):
    """Move a person."""

    to: Address


class Bare(BaseModel):
    x: int


def forecast(city: str, days: int = 3, unit: Literal["c", "f"] = "c", _raw: bool = False, *rest: int) -> str:
    """Tell the weather
    of a city.

    Args:
        city: Where: a town or
            a village.
        days (int): How many.

    Returns:
        str: a sentence
    """


async def look(zone, copy: Annotated[int, Field(ge=1)], **more: str):
    """Look.

    :param zone: the zone
    :param int copy: how often
    :return: nothing
    """


def _private(x: int): ...


class Teller:
    def __call__(self, a: int):
        """Tell."""


class Unit(Enum):
    C = "c"
    F = "f"


@dataclass
class Point:
    x: float
    y: float = 0.0


def annotated(
    count: Annotated[int, Field(gt=3, description="how many")],
    city: Annotated[str, "the city"],
    unit: Unit = Unit.C,
    at: Point | None = None,
    where: Address | None = None,
):
    """Tell.

    :param city: less than the annotation says
    """


def numpy_style(a, b=3, *, flag: bool = False):
    """Do it.

    Parameters
    ----------
    a : str
        The first thing,
        on two lines.
    b : int, optional
        The second.
    flag : bool
        Whether.

    Returns
    -------
    str
        Nothing.
    """


class Options(TypedDict, total=False):
    """What to look at."""

    deep: Annotated[bool, "below too"]
    limit: Required[int]


def searched(where: Options, more: list[Options] | None = None, *words: str):
    """Search.

    Args:
        *words: What for.
    """


def worded(kind, names, size=None, other=None):
    """Do it.

    Parameters
    ----------
    kind : {'near', "far"}, optional
    names : list of str
    size : int or None
    other : ndarray of shape (n,)
    """


shorter = functools.partial(forecast, days=2)


def odd(x: "Missing"): ...


def odder(x: Teller): ...


BOTH = [Move, forecast]
teller = Teller()
NUMBER = 3
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "tools_of_a_test"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def named(module: str, name: str) -> Tool:
    (tool,) = import_tools(f"{module}:{name}")
    return tool


def test_a_function_is_a_tool(module: str) -> None:
    tool = named(module, "forecast")
    assert (tool.name, tool.description) == ("forecast", "Tell the weather of a city.")
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where: a town or a village."},
            "days": {"type": "integer", "default": 3, "description": "How many."},
            "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
            "_raw": {"type": "boolean", "default": False},
            "rest": {"type": "array", "items": {"type": "integer"}, "default": []},
        },
        "required": ["city"],
    }


def test_arguments_without_types_and_with_any_name(module: str) -> None:
    tool = named(module, "look")
    assert tool.description == "Look."
    assert tool.properties == {
        "zone": {"description": "the zone"},
        "copy": {"description": "how often", "type": "integer", "minimum": 1},
    }
    assert tool.parameters["additionalProperties"] is True


def test_a_model_is_a_tool(module: str) -> None:
    tool = named(module, "Move")
    assert (tool.name, tool.description) == ("Move", "Move a person.")
    assert tool.properties == {"to": {"$ref": "#/$defs/Address"}}
    assert tool.parameters["$defs"]["Address"]["description"] == "Where somebody lives."
    assert named(module, "Bare").description == ""


def test_annotations_say_more_than_types(module: str) -> None:
    tool = named(module, "annotated")
    assert tool.properties == {
        "count": {"type": "integer", "exclusiveMinimum": 3, "description": "how many"},
        "city": {"type": "string", "description": "the city"},
        "unit": {"$ref": "#/$defs/Unit", "default": "c"},
        "at": {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}], "default": None},
        "where": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}], "default": None},
    }
    assert tool.parameters["$defs"]["Unit"] == {"type": "string", "enum": ["c", "f"]}
    assert tool.parameters["$defs"]["Point"]["required"] == ["x"]
    assert tool.required == ["count", "city"]


def test_a_docstring_of_numpy_gives_descriptions_and_types(module: str) -> None:
    tool = named(module, "numpy_style")
    assert tool.description == "Do it."
    assert tool.properties == {
        "a": {"type": "string", "description": "The first thing, on two lines."},
        "b": {"type": "integer", "default": 3, "description": "The second."},
        "flag": {"type": "boolean", "default": False, "description": "Whether."},
    }


def test_a_dataclass_and_a_partial_function_are_tools(module: str) -> None:
    point, shorter = named(module, "Point"), named(module, "shorter")
    assert (point.name, point.description, point.required) == ("Point", "", ["x"])
    assert (shorter.name, shorter.properties["days"]["default"]) == ("forecast", 2)


def test_an_object_that_can_be_called_is_a_tool(module: str) -> None:
    assert (named(module, "teller").name, named(module, "teller").description) == ("Teller", "Tell.")


def test_lists_and_several_names(module: str) -> None:
    assert [tool.name for tool in import_tools(f"{module}:BOTH")] == ["Move", "forecast"]
    assert [tool.name for tool in import_tools(f"{module}:look, Bare")] == ["look", "Bare"]


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("forcast", UnknownName, "did you mean 'forecast'"),
        ("NUMBER", BadOption, "neither a function nor a pydantic model: int"),
        ("odd", BadOption, "cannot be described: name 'Missing' is not defined"),
        ("odder", BadOption, "cannot be described: "),
    ],
)
def test_what_is_no_tool_is_one_line(module: str, name: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as raised:
        import_tools(f"{module}:{name}")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("source", ["a b", "", "no_such_module_here:x", "a/b.py:x"])
def test_what_is_no_module_is_refused(source: str) -> None:
    with pytest.raises(BadOption):
        import_tools(source)


def test_importing_is_said(module: str) -> None:
    tools, said = tools_of("--python", f"{module}:forecast", "--python", f"{module}:Move")
    assert [tool["name"] for tool in tools] == ["forecast", "Move"]
    assert said.count(f"imported {module}: its code has run") == 1


def test_a_python_file_is_not_imported_by_the_way(module: str) -> None:
    done = CliRunner().invoke(app, ["render-tools", f"{module}.py"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--python MODULE:NAME imports it" in done.stderr
    assert module not in sys.modules


def test_typed_dicts_are_types_and_tools(module: str) -> None:
    properties = {"deep": {"description": "below too", "type": "boolean"}, "limit": {"type": "integer"}}
    (tool,) = import_tools(f"{module}:Options")
    assert tool.description == "What to look at."
    assert tool.parameters == {"type": "object", "properties": properties, "required": ["limit"]}
    (function,) = import_tools(f"{module}:searched")
    assert function.parameters["$defs"]["Options"]["properties"] == properties
    assert function.parameters["$defs"]["Options"]["required"] == ["limit"]
    assert function.parameters["required"] == ["where"]
    words = {"default": [], "description": "What for.", "items": {"type": "string"}, "type": "array"}
    assert function.parameters["properties"]["words"] == words


def test_types_that_only_the_docstring_names(module: str) -> None:
    (tool,) = import_tools(f"{module}:worded")
    kinds = {"enum": ["near", "far"], "type": "string"}
    assert tool.parameters["properties"] == {
        "kind": kinds,
        "names": {"items": {"type": "string"}, "type": "array"},
        "size": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "other": {"default": None},
    }


def test_an_enum_is_no_tool(module: str) -> None:
    with pytest.raises(BadOption, match="Unit is an enum"):
        import_tools(f"{module}:Unit")


def test_a_file_of_python_is_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f(): ...\n")
    with pytest.raises(BadOption, match=r"--python takes module:name, not a file: mine$"):
        import_tools("mine.py")
