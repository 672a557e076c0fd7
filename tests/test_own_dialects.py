"""Dialects of one's own: tables and entry points read as those of the catalogue do, and are checked when loaded."""

from __future__ import annotations

from dataclasses import MISSING, asdict, fields
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli import UtpError, parse
from utp_cli.app import app
from utp_cli.dialects.bodies import BODIES, CodeBody, Tag
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.dialects.custom_dialects import clash_with, dialect_from_table, faults, installed, table_of
from utp_cli.dialects.spec import Dialect
from utp_cli.engine.grammars import GRAMMARS

ACT = {"family": "tagged_json_object", "call_open": "<act>", "call_close": "</act>"}


def test_every_family_says_what_it_reads() -> None:
    assert set(BODIES) == set(GRAMMARS)
    around = {field.name for field in fields(Dialect)}
    for body in BODIES.values():
        inside = {field.name for field in fields(body)}
        assert not inside & around  # the keys of a table are flat
        assert {key for needed in body.needs for key in needed} <= inside | around


def test_a_field_of_another_family_cannot_be_written() -> None:
    names = {field.name for body in BODIES.values() for field in fields(body)}
    for body in BODIES.values():
        own = {field.name for field in fields(body)}
        needed = {field.name: "x" for field in fields(body) if field.default is MISSING}
        assert body(**needed)
        for name in names - own:
            with pytest.raises(TypeError, match=f"'{name}'"):
                body(**needed, **{name: "x"})


@pytest.mark.parametrize("dialect", list(DIALECTS), ids=lambda dialect: dialect.name)
def test_a_table_says_all_of_a_dialect(dialect: Dialect) -> None:
    table = table_of(dialect)
    del table["name"]
    tags = {key: asdict(tag) for key, tag in table.items() if isinstance(tag, Tag)}
    said = {key: value for key, value in {**table, **tags}.items() if value}
    assert dialect_from_table(dialect.name, said) == dialect


@pytest.mark.parametrize("dialect", list(DIALECTS), ids=lambda dialect: dialect.name)
def test_the_catalogue_obeys_the_checks(dialect: Dialect) -> None:
    assert list(faults(dialect)) == []
    assert clash_with(dialect, [other for other in DIALECTS if other is not dialect]) is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"family": "tagged_jsn_object"}, "family must be one of arg_key_value, attributes, harmony"),
        ({**ACT, "cal_open": "<x>"}, "'cal_open' is not a field (did you mean 'call_open'?)"),
        ({"family": "tagged_json_object"}, "needs call_open or section_open or bare"),
        ({"family": "xml_invoke", "call_open": "<do "}, "family xml_invoke needs call"),
        ({"family": "kv_custom", "call_open": "call:"}, "family kv_custom needs quote"),
        ({**ACT, "quote": "'"}, "family tagged_json_object reads no quote"),
        ({**ACT, "body": {}}, "'body' is not a field"),
        ({**ACT, "family": ["tagged_json_object"]}, "family must be one of"),
        ({"family": "header_json", "call_open": "<x>", "header": []}, "family header_json needs header"),
        ({"family": "tool_block", "call_open": "<x>"}, "family tool_block needs call_close"),
        ({**ACT, "call_close": "<act>"}, "markers clash: '<act>' is both call_open and call_close"),
        ({**ACT, "reasoning": ["<act>", "</act>"]}, "markers clash: '<act>' is both call_open and reasoning"),
        ({**ACT, "reasoning": ["##", "##"]}, "'##' both opens and closes reasoning"),
        ({**ACT, "call_open": ["<act>", " "]}, "call_open holds an empty marker"),
        ({**ACT, "call_open": 5}, "call_open does not make sense"),
        ({**ACT, "fenced": "yes"}, "fenced does not make sense: it must be true or false"),
        ({**ACT, "reasoning": "<think>"}, "reasoning does not make sense"),
        ({**ACT, "call": {"opn": "<x"}}, "call does not make sense"),
        ({**ACT, "cannot": ["fly"]}, "cannot: 'fly' is none of own-tags"),
    ],
)
def test_what_makes_no_sense_is_said(table: dict[str, Any], said: str) -> None:
    with pytest.raises(UtpError) as error:
        dialect_from_table("acme", table)
    assert str(error.value).startswith("[dialects.acme]: ")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("hermes", ACT, "the name 'hermes' is taken"),
        ("acme", {**ACT, "aliases": ["qwen3_xml"]}, "the name 'qwen3_xml' is taken"),
        ("acme", {**ACT, "call_open": "<think>"}, "'<think>' opens a call here and means something else in 'hermes'"),
        ("acme", {**ACT, "call_open": "</tool_call>"}, "means something else"),
        ("acme", {**ACT, "call_open": "<longcat_tool_call>", "call_close": "</longcat_tool_call>"}, "'longcat' does"),
    ],
)
def test_what_gets_in_the_way_of_another_is_said(name: str, table: dict[str, Any], said: str) -> None:
    clash = clash_with(dialect_from_table(name, table), DIALECTS)
    assert clash is not None
    assert said in clash


def test_an_opening_marker_may_be_shared() -> None:
    dialect = dialect_from_table("acme", {**ACT, "call_open": "<tool_call>", "name_keys": ["do"]})
    assert clash_with(dialect, DIALECTS) is None
    (call,) = parse('<tool_call>{"do": "f", "arguments": {}}</act>', dialects=[dialect]).calls
    assert (call.name, call.parser) == ("f", "acme")


# -- entry points -------------------------------------------------------------------------------------------------------


def offer(monkeypatch: pytest.MonkeyPatch, **offered: Any) -> None:
    """Stand in for installed packages: each entry point gives what is offered, or raises it."""

    def load(thing: Any) -> Any:
        if isinstance(thing, Exception):
            raise thing
        return thing

    points = [
        SimpleNamespace(name=name, value=f"package:{name}", load=lambda thing=thing: load(thing))
        for name, thing in offered.items()
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: points if group == "utp.dialects" else [])


def test_a_name_that_is_not_known_is_sought_among_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, acme=ACT, other=dialect_from_table("other", {**ACT, "call_open": "<do>"}))
    for name, marker in (("acme", "<act>"), ("other", "<do>")):
        (call,) = parse(f'{marker}{{"name": "f", "arguments": {{}}}}</act>', parser=name).calls
        assert (call.name, call.parser) == ("f", name)
    with pytest.raises(UtpError, match="acmee"):
        parse("", parser="acmee")


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (ImportError("no acme"), "dialect 'acme' of package:acme cannot be loaded: no acme"),
        (5, "dialect 'acme': package:acme is neither a Dialect nor a table"),
        ({"family": "kv_custom", "call_open": "x"}, "[dialects.acme]: family kv_custom needs quote"),
        (Dialect(name="acme", body=CodeBody(fixed_name="python")), "family raw_code needs call_open"),
    ],
)
def test_a_bad_entry_point_is_said(monkeypatch: pytest.MonkeyPatch, offered: Any, said: str) -> None:
    offer(monkeypatch, acme=offered)
    with pytest.raises(UtpError) as error:
        list(installed())
    assert said in str(error.value)


# -- the command --------------------------------------------------------------------------------------------------------


def test_own_dialects_are_listed_and_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    offer(monkeypatch, installed_one={**ACT, "call_open": "<do>"})
    Path("profiles.toml").write_text(
        '[dialects.acme]\nfamily = "tagged_json_object"\ncall_open = "<act>"\ncall_close = "</act>"\n', encoding="utf-8"
    )
    listed = CliRunner().invoke(app, ["dialects"]).stdout
    assert [line.split()[0] for line in listed.splitlines()[1:4]] == ["acme", "installed_one", "hermes"]
    shown = CliRunner().invoke(app, ["dialects", "acme"]).stdout
    assert "get_weather  {'city': 'Oslo', 'days': 3}  acme" in shown


def test_a_clash_names_file_and_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("profiles.toml").write_text(
        '\n[dialects.acme]\nfamily = "tagged_json_object"\ncall_open = "<think>"\n', encoding="utf-8"
    )
    ended = CliRunner().invoke(app, ["parse", "-"], input="x")
    assert ended.exit_code == 2
    assert ended.stderr.startswith("utp: profiles.toml:2: [dialects.acme]: markers clash: '<think>' opens a call here")
