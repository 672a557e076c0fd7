"""Tool files: every form, every format, the place of everything, and what is wrong with a file in one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import FIXTURES
from utp_cli.io.audit_files import audit, audit_file, fixed_text
from utp_cli.io.positions import comments, plain_value, read_document, read_json, read_yaml
from utp_cli.io.tool_files import load_tools, read_tool_file
from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.tools import Tier

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = FIXTURES / "tools"
FORMS = sorted(path for path in TOOLS.iterdir() if path.suffix in (".json", ".jsonl"))

YAML = """\
# head
tools:
  - name: get_user   # a comment
    description: >
      Look up
      a user.
    parameters: &shared
      type: object
      properties:
        user_id: {type: string, default: 2024-01-01}
  - name: find
    description: 'it''s'
    parameters: *shared
"""


def test_places() -> None:
    file = read_tool_file("tools.yaml", YAML)
    first, second = file.tools
    assert first.tool.description == "Look up a user.\n"
    assert first.tool.parameters["properties"]["user_id"]["default"] == "2024-01-01"
    assert first.tool.place == "tools.yaml:3:5"
    assert first.place_of("/name") == (3, 5)
    assert first.place_of("/parameters/properties/user_id/type") == (10, 19)
    assert first.place_of("/parameters/required/3") == (7, 5)
    assert second.tool.parameters == first.tool.parameters
    assert second.place_of("/description") == (12, 5)
    assert file.locate(1, "/name").line == 11


def test_places_in_json() -> None:
    text = '{"tools":\n\t[{"name": "a\\ud83d\\ude00", "name": "b",\n\t  "parameters": {"type": "object"}}]}'
    (loaded,) = read_tool_file("t.json", text).tools
    assert loaded.tool.name == "b"
    assert loaded.place_of("/name") == (2, 29)
    assert loaded.place_of("/parameters/type") == (3, 19)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_read_alike(path: Path) -> None:
    (tool,) = load_tools(path)
    assert tool.name == "forecast_weather"
    assert list(tool.properties) == ["city", "days"]
    assert tool.required == ["city"]
    assert tool.form == (path.stem if path.stem != "canonical" else "tools-canonical")


def test_canonical_extras() -> None:
    tools = {tool.name: tool for tool in load_tools(str(TOOLS / "tools.yaml"))}
    assert tools["cancel_order"].tier is Tier.RUN
    assert tools["cancel_order"].requires_confirmation
    assert tools["get_order"].tier is Tier.CRAWL


def test_good_and_flawed() -> None:
    assert audit(TOOLS / "tools.yaml").findings == []
    found = audit(str(TOOLS / "flawed.yaml")).findings
    assert {f.code for f in found if f.severity == "error"} == {
        "UTP102", "UTP104", "UTP107", "UTP503", "UTP506",
    }  # fmt: skip
    assert all(f.place.line and f.place.column for f in found)
    lines = (TOOLS / "flawed.yaml").read_text(encoding="utf-8").splitlines()
    (slip,) = [f for f in found if f.code == "UTP113"]
    assert lines[(slip.place.line or 0) - 1][(slip.place.column or 0) - 1 :].startswith("desciption")


def test_several_documents() -> None:
    first, second = read_tool_file("t.yaml", "name: a\n---\nname: b\ndescription: x\n").tools
    assert (first.tool.name, second.tool.name, second.tool.place) == ("a", "b", "t.yaml:3:1")
    lines = read_tool_file("t.jsonl", '{"name": "a"}\n\n{"name": "b"}\n').tools
    assert [loaded.tool.place for loaded in lines] == ["t.jsonl:1:1", "t.jsonl:3:1"]
    assert len(read_tool_file("-", '{"name": "a"}\n{"name": "b"}\n').tools) == 2


def test_merge_keys() -> None:
    text = "base: &b {type: string, description: x}\nname: a\nparameters: {properties: {q: {<<: *b, description: y}}}"
    (loaded,) = read_tool_file("t.yaml", text).tools
    assert loaded.tool.properties["q"] == {"type": "string", "description": "y"}


BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
BAD = [
    ("t.yaml", "a: [1", "t.yaml:1:6: not YAML"),
    ("t.yaml", "name: a\n\tx: 1", "t.yaml:2:1: not YAML"),
    ("t.yaml", '- name: a\n  x: "open\n- name: b\n', "t.yaml:2:6: not YAML: a quote opens here and nothing closes it"),
    ("t.yaml", "- name: 'a\n  x: y\n", "t.yaml:1:9: not YAML: a quote opens here and nothing closes it"),
    ("t.json", '{"a":\n 1,}', "t.json:2:4: not JSON"),
    ("t.jsonl", '{"name": "a"}\n{"name"\n', "t.jsonl:2:8: not JSON"),
    ("t.yaml", "- x", "no tools in it"),
    ("t.yaml", "tools: []", "no tools in it"),
    ("t.yaml", "'text'", "no tools in it"),
    ("t.yaml", "nam: x\nparamters: {}", "t.yaml:1:1: 'nam' is not a key of a tool (did you mean 'name'?)"),
    ("t.yaml", "tool: []", "t.yaml:1:1: 'tool' is not a key of a tool (did you mean 'tools'?)"),
    ("t.yaml", "a: &a [*a]", "t.yaml:1:8: the alias *a refers to itself"),
    ("t.yaml", "name: !!python/name:os.system x", "t.yaml:1:7: the tag"),
    ("t.yaml", BOMB, "aliases make the document too large"),
    ("t.json", "[" * 100_000, "nested too deeply"),
    ("t.yaml", "- " * 300 + "a", "nested too deeply"),
    ("t.yaml", "  \n", "is empty"),
    ("t.json", "[" + "9" * 5000 + "]", "no tools in it"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD, ids=range(len(BAD)))
def test_bad_files(name: str, text: str, message: str) -> None:
    with pytest.raises(BadFile) as raised:
        read_tool_file(name, text)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_paths(tmp_path: Path) -> None:
    binary = tmp_path / "t.yaml"
    binary.write_bytes(b"\x7fELF\x00\xff")
    for path, message in (
        (tmp_path, "is a directory"),
        (tmp_path / "x", "no such file"),
        (binary, "is not text"),
        ("a\0b", "is no name of a file"),
        ("\ud800", "is no name of a file"),
    ):
        with pytest.raises(BadFile, match=message):
            load_tools(path)


def test_a_tool_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("- name: a\n- nmae: b\n  description: x\n", encoding="utf-8")
    with pytest.raises(BadFile, match=r"t.yaml:2:3: a tool without a name \('nmae' .* did you mean 'name'\?\)"):
        load_tools(path)
    assert len(read_tool_file(path).tools) == 2
    with pytest.raises(BadFile, match="tool 2"):
        load_tools([{"name": "a"}, {"description": "b"}])
    assert load_tools({"name": "a", "input_schema": {}})[0].form == "anthropic"


def test_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path = tmp_path / encoding
        path.write_text("name: zürich", encoding=encoding)
        assert load_tools(path)[0].name == "zürich"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("null", None), ("~", None), ("", None), ("True", True), ("yes", "yes"), ("12", 12), ("0o17", 15)],
        *[("0x1F", 31), ("1e3", 1000.0), ("-.5", -0.5), ("-.inf", float("-inf")), ("1_000", "1_000")],
        ("2024-01-01", "2024-01-01"),
    ],
)
def test_plain_values(text: str, value: Any) -> None:
    assert plain_value(text) == value
    assert type(plain_value(text)) is type(value)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=200, deadline=None)
@given(JSON_VALUES, st.sampled_from([None, 2, "\t"]))
def test_json_is_read_exactly(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    placed = read_json(text, "x.json")
    assert placed.value == value
    assert json.loads(text[placed.start : placed.end]) == value


PLAIN_TEXT = st.text("abnxyz 019._#'\"", max_size=12)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | PLAIN_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLAIN_TEXT, inner, max_size=3),
    max_leaves=15,
)


@settings(max_examples=100, deadline=None)
@given(PLAIN, st.booleans())
def test_yaml_is_read_as_it_was_written(value: Any, flow: bool) -> None:
    import io

    from ruamel.yaml import YAML

    out = io.StringIO()
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = flow
    writer.dump(value, out)
    assert read_yaml(out.getvalue(), "x.yaml").value == value


def test_comments() -> None:
    text = '# above\nname: a # b\ndescription: "no # comment"\nlong: |\n  # no comment\n# last\n'
    document = read_document(text, "t.yaml")
    found = [(text[at : at + 3], about, said) for at, about, said in comments(text, document)]
    assert found == [("# a", 2, "# above"), ("# b", 2, "# b"), ("# l", 7, "# last")]


def test_suppressing_by_comment() -> None:
    text = "# utp: ignore[UTP201]\nname: a_tool\ntitle: 'x # utp: ignore'\nparameters: {}  # utp: ignore[UTP103]\n"
    report = audit_file(read_tool_file("t.yaml", text))
    assert report.findings == []
    assert sorted(entry.finding.code for entry in report.suppressed) == ["UTP103", "UTP201"]
    bare = text.replace("# utp: ignore[UTP201]\n", "")
    assert [f.code for f in audit_file(read_tool_file("t.yaml", bare)).findings] == ["UTP201"]


MESSY = """\
# my tools
tools:
  - name: "look up"    # quoted
    description: >-
      Look up a\u200b user by number.
      Returns the profile.
    parameters:
      # no type here
      properties:
        user_id: {type: str, description: 'The user''s\u200b number, digits only'}
        mode:
          desciption: How to look things up
          type: str   # text
          enum:
            - fast
            - slow
            - fast
      required:
        - user_id
        - user_id
        - nothing

  - name: other_tool   # untouched
    description: |
      Find things in the store.

      Args:
          q: what to find, in words
    parameters: {type: object, properties: {q: {type: string}}}
"""
SAFELY = """\
# my tools
tools:
  - name: "look up"    # quoted
    description: |-
      Look up a user by number. Returns the profile.
    parameters:
      # no type here
      properties:
        user_id: {type: string, description: 'The user''s number, digits only'}
        mode:
          desciption: How to look things up
          type: string   # text
          enum:
            - fast
            - slow
      required:
        - user_id
        - nothing
      type: object

  - name: other_tool   # untouched
    description: |
      Find things in the store.

      Args:
          q: what to find, in words
    parameters: {type: object, properties: {q: {type: string}}}
"""
BOLDLY = """\
# my tools
tools:
  - name: "look_up"    # quoted
    description: |-
      Look up a user by number. Returns the profile.
    parameters:
      # no type here
      properties:
        user_id: {type: string, description: 'The user''s number, digits only'}
        mode:
          description: How to look things up
          type: string   # text
          enum:
            - fast
            - slow
      required:
        - user_id
      type: object

  - name: other_tool   # untouched
    description: |
      Find things in the store.
    parameters: {type: object, properties: {q: {type: string, description: "what to find, in words"}}}
"""


@pytest.mark.parametrize(("unsafe", "after"), [(False, SAFELY), (True, BOLDLY)], ids=["safe", "unsafe"])
def test_fixes_touch_nothing_else(unsafe: bool, after: str) -> None:
    file = read_tool_file("t.yaml", MESSY)
    text, ended = fixed_text(file, audit_file(file), unsafe=unsafe)
    assert text == after
    assert ended
    again = read_tool_file("t.yaml", text)
    assert fixed_text(again, audit_file(again), unsafe=unsafe) == (text, [])


def test_fixing_json_keeps_its_layout() -> None:
    text = (
        '{\n  "tools": [\n    {"name": "a_tool", "description": "Do one thing and return it.", "strict": true,\n'
        '      "input_schema": {\n        "$comment": "x",\n        "type": "object",\n'
        '        "properties": {"q": {"type": "string", "minLength": 3, "description": "What to find, in words"}},\n'
        '        "required": ["q"]\n      }}\n  ]\n}\n'
    )
    file = read_tool_file("t.json", text)
    after, _ = fixed_text(file, audit_file(file))
    assert after == text.replace('["q"]\n', '["q"],\n        "additionalProperties": false\n')
    bold, _ = fixed_text(file, audit_file(file), unsafe=True)
    assert '"q": {"type": "string", "description": "What to find, in words. At least 3 characters."}' in bold


def test_shared_values_are_not_changed_behind_anyones_back() -> None:
    text = (
        "- name: a_tool\n  description: Return one thing of the shop.\n  strict: true\n"
        "  input_schema: &s {type: object, properties: {}}\n"
        "- name: b_tool\n  description: Return another thing there.\n  input_schema: *s\n"
    )
    file = read_tool_file("t.yaml", text)
    with pytest.raises(BadFile, match="cannot be fixed in place"):
        fixed_text(file, audit_file(file))


def test_a_session_is_no_tool_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"utp_session": 1, "model": "m"}\n{"response": {}}\n')
    with pytest.raises(BadFile, match=r"is a session, and no tool definitions; utp replay .*s\.jsonl checks it"):
        read_tool_file(path)
