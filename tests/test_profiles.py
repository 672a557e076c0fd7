"""Profiles: where they are found, what is wrong with them and on which line, who outranks whom, how one is added."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from utp_cli.detection.capability import Capability
from utp_cli.io.configuration import find_configuration
from utp_cli.io.profiles import CapabilityOverrides, add_profile, read_configuration
from utp_cli.io.settings import SETTINGS, load_settings
from utp_cli.io.toml_text import line_of, without_table
from utp_cli.protocol.errors import BadFile, BadOption, UnknownName, UtpError

EXAMPLE = Path(__file__).resolve().parent.parent / "profiles.toml"
BOXXIE = """\
# the machine under the desk
[profiles.boxxie]
provider = "ollama"      # served here
model = "qwen3:32b"

[profiles.boxxie.tools]
call_parser = "hermes"

# next door
[profiles.athena]
model = "gpt-5"
"""


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """An empty folder, and nothing from the outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for setting in SETTINGS.values():
        monkeypatch.delenv(setting.variable, raising=False)
    monkeypatch.delenv("UTP_CONFIG", raising=False)


def written(text, name="profiles.toml"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_is_sound():
    configuration = read_configuration(EXAMPLE)
    assert [configuration.profile(name).model for name in configuration.profiles] == [
        "qwen3-next-80b-tools",
        "Qwen/Qwen3-32B",
    ]
    assert configuration.profile("athena").server.tool_call_parser == "hermes"
    assert configuration.dialects["acme"]["call_open"] == "<act>"


def test_overrides_are_the_fields_of_a_capability():
    assert {f.name for f in fields(CapabilityOverrides)} == {f.name for f in fields(Capability)}


PLACES = ["asked.toml", "variable.toml", "profiles.toml", "llmc.toml", "config/utp/profiles.toml"]


@pytest.mark.parametrize("first", range(len(PLACES)))
def test_the_first_file_there_is_counts(first, monkeypatch):
    monkeypatch.setenv("UTP_CONFIG", "variable.toml")
    for place in PLACES[first:]:
        written(f'[profiles.p]\nmodel = "{place}"\n', place)
    found = find_configuration("asked.toml" if first == 0 else None)
    assert found.profile("p").model == PLACES[first]


def test_no_file_is_no_error_until_a_profile_is_asked_for():
    assert find_configuration(None).path is None
    with pytest.raises(UnknownName, match=r"unknown profile 'boxxie' \(no profiles.toml found"):
        load_settings(None, profile="boxxie")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[profiles.b]\nprovidr = "x"', "profiles.toml:2: 'providr' is not a key of a profile (did you mean 'provider'?)"),
        ('[profiles.b]\n\n[profiles.b.tools]\nmod = "x"', "profiles.toml:4: 'mod' is not a key of a profile's tools (did you mean 'mode'?)"),
        ('[profiles.b.tools]\nmode = "x"', "profiles.toml:2: tools.mode must be 'auto', 'native', 'structured', 'validated' or 'parsed'"),
        ('[profiles.b]\ntools.mode = "x"', "profiles.toml:2: tools.mode must be"),
        ('[profiles.b]\ntools = {mode = "x"}', "profiles.toml:2: tools.mode must be"),
        ("[profiles.b]\ntools = 3", "profiles.toml:2: tools"),
        ('[profiles.b.capability]\ncontext_window = "many"', "profiles.toml:2: capability.context_window"),
        ('[profiles.b]\napi_key = "sk-1"', "'api_key' is not a key of a profile (did you mean 'api_key_env'?)"),
        ('[profiles.b]\napi_key_env = "sk-1"', "profiles.toml:2: api_key_env must be the name of an environment variable"),
        ('[profile.b]\nmodel = "x"', "profiles.toml:1: 'profile' is not a table of it (did you mean 'profiles'?)"),
        ('[profiles]\nb = "x"', "profiles.toml:2: 'b' must be a table: [profiles.NAME]"),
        ('profiles = "x"', "profiles.toml:1: 'profiles' must be a table"),
        ("[profiles.b]\nmodel = x", "profiles.toml:2:9: is not TOML: Invalid value"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text, message):
    path = written(text)
    with pytest.raises(UtpError) as caught:
        find_configuration(None).profile("b")
    said = str(caught.value)
    assert message in said
    assert "\n" not in said
    assert "sk-1" not in said
    assert path.exists()


def test_another_program_may_keep_its_own_tables_in_llmc_toml():
    written('[llmc]\nx = 1\n[profiles.b]\nmodel = "m"\n', "llmc.toml")
    assert find_configuration(None).profile("b").model == "m"


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"[profiles.b\n"])
def test_a_file_that_is_no_toml(data):
    Path("profiles.toml").write_bytes(data)
    with pytest.raises(BadFile, match=r"profiles\.toml.*is not"):
        find_configuration(None)


def test_a_named_file_must_exist():
    with pytest.raises(BadFile, match="no such configuration file"):
        find_configuration("nowhere.toml")


def test_who_outranks_whom(monkeypatch):
    written(BOXXIE)
    assert load_settings(None).get("model") is None
    assert load_settings(None).get("model", detected="found") == "found"
    assert load_settings(None, profile="boxxie").get("model", detected="found") == "qwen3:32b"
    monkeypatch.setenv("UTP_MODEL", "from-variable")
    assert load_settings(None, profile="boxxie").get("model") == "from-variable"
    assert load_settings(None, profile="boxxie", model="asked").get("model") == "asked"


def test_defaults_stand_last():
    written(BOXXIE)
    assert load_settings(None).get("parser") == "auto"
    assert load_settings(None, profile="boxxie").get("parser") == "hermes"
    assert load_settings(None, profile="athena").get("parser") == "auto"


def test_a_profile_can_be_named_by_a_variable(monkeypatch):
    written(BOXXIE)
    monkeypatch.setenv("UTP_PROFILE", "athena")
    assert load_settings(None).get("model") == "gpt-5"


def test_a_setting_with_choices_offers_the_nearest():
    with pytest.raises(BadOption, match=r"'warnin' is no value of --fail-on .did you mean 'warning'"):
        load_settings(None, fail_on="warnin").get("fail_on")


def test_tables_hold_only_what_is_said():
    written("[profiles.b]\nserver.engine = 'vllm'\n")
    assert load_settings(None, profile="b").table("server") == {"engine": "vllm"}
    assert load_settings(None).table("server") == {}


def test_adding_keeps_everything_that_is_there():
    path = written(BOXXIE)
    add_profile(path, "new", {"model": "m", "tools": {"mode": "native"}})
    text = path.read_text(encoding="utf-8")
    assert text.startswith(BOXXIE)
    assert read_configuration(path).profile("new").tools.mode == "native"


def test_adding_makes_the_file_and_its_folder():
    path = Path("deep/er/profiles.toml")
    add_profile(path, "a b.c", {"model": "m"})
    assert read_configuration(path).profile("a b.c").model == "m"


def test_a_taken_name_is_kept_unless_asked_otherwise():
    path = written(BOXXIE)
    with pytest.raises(BadOption, match=r"'boxxie' exists already \(profiles.toml:2\): --replace"):
        add_profile(path, "boxxie", {"model": "m"})
    assert path.read_text(encoding="utf-8") == BOXXIE
    add_profile(path, "boxxie", {"model": "m"}, replace=True)
    text = path.read_text(encoding="utf-8")
    assert "# next door\n[profiles.athena]" in text
    assert "# the machine under the desk" in text
    assert tomllib.loads(text)["profiles"] == {"athena": {"model": "gpt-5"}, "boxxie": {"model": "m"}}


@pytest.mark.parametrize(
    "text",
    ['profiles = {b = {model = "x"}}\n', '[profiles]\nb.model = "x"\n', '[profiles]\nb = {model = "x"}\n'],
)
def test_what_cannot_be_taken_out_as_text_is_left_alone(text):
    path = written(text)
    with pytest.raises(BadFile, match="by hand"):
        add_profile(path, "b", {"model": "m"}, replace=True)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("table", [{}, {"api_key": "sk-1"}, {"api_key_env": "hf_AbC"}, {"tools": {"mode": "x"}}])
def test_nothing_is_written_of_a_profile_that_is_not_sound(table):
    with pytest.raises(UtpError) as caught:
        add_profile(Path("profiles.toml"), "b", table)
    assert "sk-1" not in str(caught.value)
    assert "hf_AbC" not in str(caught.value)
    assert not Path("profiles.toml").exists()


NAMES = st.text(alphabet="ab. \"'#[]=é", min_size=1, max_size=6)


@given(st.dictionaries(NAMES, st.just({"model": "m"}), min_size=1, max_size=4), NAMES)
def test_replacing_never_touches_another_profile(tmp_path_factory, profiles, name):
    path = tmp_path_factory.mktemp("profiles") / "profiles.toml"
    for each in profiles:
        add_profile(path, each, {"model": "m", "server": {"engine": "e"}})
    add_profile(path, name, {"model": "new"}, replace=True)
    found = tomllib.loads(path.read_text(encoding="utf-8"))["profiles"]
    assert found == {each: {"model": "m", "server": {"engine": "e"}} for each in profiles} | {name: {"model": "new"}}


def test_lines_of_keys():
    assert line_of(BOXXIE, ("profiles", "boxxie", "model")) == 4
    assert line_of(BOXXIE, ("profiles", "boxxie", "tools", "call_parser")) == 7
    assert line_of(BOXXIE, ("profiles", "athena", "nowhere")) == 10
    assert line_of(BOXXIE, ("elsewhere",)) == 1


def test_taking_out_a_table():
    assert without_table(BOXXIE, ("profiles", "boxxie")) == (
        '# the machine under the desk\n\n# next door\n[profiles.athena]\nmodel = "gpt-5"\n'
    )
