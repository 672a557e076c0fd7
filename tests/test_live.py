"""What comes from outside: public lists of models, live servers. Every server here runs on loopback, for one test."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, strategies as st

from tests.live_servers import KEY, SERVERS, alone, document, run, serve
from utp_cli.detection.servers import ENGINES, MODELS, ServerFacts
from utp_cli.io import listings
from utp_cli.io.profiles import read_configuration
from utp_cli.io.web import NoAnswer, Web, joined, key_header, root_of, shown_url
from utp_cli.protocol.errors import BadOption, UtpError

__all__ = ["alone", "serve"]

LITELLM = {"acme/bot-1": {"supports_function_calling": True, "max_input_tokens": 64000}}


def test_a_list_from_a_file_is_kept_and_used():
    Path("list.json").write_text(json.dumps(LITELLM), encoding="utf-8")
    assert not document("acme/bot-1")["capability"]["native_tools"]
    refreshed = run("--refresh", "list.json")
    assert refreshed.exit_code == 0
    assert "litellm: 1 models kept in" in refreshed.stderr
    Path("list.json").unlink()
    found = document("acme/bot-1")
    assert found["capability"]["native_tools"]
    assert found["sources"]["capability.context_window"] == "listing: litellm"


def test_a_list_from_a_url_is_kept_and_used(serve):
    served = serve({"GET /api.json": {"acme": {"models": {"bot-1": {"tool_call": True}}}}})
    assert run("--refresh", f"{served.url}/api.json").exit_code == 0
    assert document("acme/bot-1")["sources"]["capability.native_tools"] == "listing: models.dev"


@pytest.mark.parametrize(
    "damaged", [b"{", b"[]", b"\xff", b'{"name": 1}', b'{"name": "x", "facts": {"a": {"b": 1}}}', b"[" * 99999]
)
def test_a_damaged_cache_is_said_and_skipped(damaged):
    Path("list.json").write_text(json.dumps(LITELLM), encoding="utf-8")
    run("--refresh", "list.json")
    (kept,) = Path("cache").rglob("*.json")
    kept.write_bytes(damaged)
    result = run("acme/bot-1", "--json")
    assert result.exit_code == 0
    assert result.stderr.count("litellm.json: is damaged and was skipped: utp detect --refresh litellm") == 1
    assert json.loads(result.stdout)["capability"]["native_tools"] is False


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; --refresh takes files, URLs and the names litellm"),
        ("", "nothing to read"),
        ("{", "is not JSON"),
        ("[" * 99999, "is not JSON"),
        ("{}", "no list of models in a known form"),
    ],
)
def test_a_list_that_is_none(content, message):
    if content is not None:
        Path("list.json").write_text(content, encoding="utf-8")
    result = run("--refresh", "list.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("utp: list.json")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_overrides_of_the_user_and_of_the_project():
    own = Path("config/utp/profiles.toml")
    own.parent.mkdir(parents=True)
    own.write_text('[models."acme/*"]\nnative_tools = true\ncontext_window = 1000\n', encoding="utf-8")
    Path("profiles.toml").write_text('[models."*bot-1"]\ncontext_window = 2000\n', encoding="utf-8")
    found = document("Acme/Bot-1")
    assert found["capability"]["native_tools"] is True
    assert found["capability"]["context_window"] == 2000
    assert found["sources"]["capability.native_tools"] == f"override: {own.absolute()}:1"
    assert found["sources"]["capability.context_window"] == "override: profiles.toml:1"
    assert document("other/bot-2")["capability"]["native_tools"] is False


def test_an_override_that_is_none_is_said_with_its_line():
    Path("profiles.toml").write_text('[models."*"]\nnative_tool = true\n', encoding="utf-8")
    result = run("qwen3")
    assert result.exit_code == 2
    assert "profiles.toml:2" in result.stderr
    assert "native_tools" in result.stderr


def fails(call) -> str:
    with pytest.raises(UtpError) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    assert KEY not in said
    return said


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "wants a key: name the variable"),
        ((403, {}), "refuses this key (HTTP 403)"),
        ((404, b"<html>"), "has no such path: is the URL right? (HTTP 404)"),
        ((422, {"detail": [{"loc": 1}]}), "refuses the request (HTTP 422)"),
        ((500, {"error": "out of\nmemory"}), "fails (HTTP 500: out of memory)"),
        ((503, {"message": "loading"}), "fails (HTTP 503: loading)"),
        (b"<!doctype html>", "answers with something that is no JSON: '<!doctype html>'"),
        (b"", "no JSON: ''"),
    ],
)
def test_an_answer_that_is_none(serve, answer, message):
    served = serve({"GET /x": answer})
    assert message in fails(lambda: Web(key=KEY).get(f"{served.url}/x?key={KEY}"[: len(served.url) + 2]))


def test_nobody_there(serve):
    served = serve({})
    port = served.url.rpartition(":")[2]
    assert "cannot be reached" in fails(lambda: Web().get(f"http://user:{KEY}@127.0.0.1:1/{port}"))


def test_somebody_who_never_answers():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert "does not answer within 0.2 seconds" in fails(lambda: Web(seconds=0.2, key=KEY).get(url))


AWAY = [
    "@other:1234/v1/x", ":1234/x", ".evil.example/x", "//other/x", "///other/x", "/\\other/x", "\\\\other/x", "x", "", "?a=b",
    "/a b", "/a\nhost: x", "/a\tb", "/\x00", "/v1/../../admin", "/v1/%2e%2e/admin", "/./x", "/a#b", "http://other/x", "/x\x7f", "/\u2028x", "/\u00a0",
    "user@other", "#@other/", "/..", "/a\\..\\b",
]  # fmt: skip
"""What a path of a recording must not be."""


@pytest.mark.parametrize("path", AWAY)
@pytest.mark.parametrize(
    "root", ["http://good:80", "https://good", "http://user:pass@good:8000/api", "http://[::1]:11434"]
)
def test_no_path_leads_away_from_a_server(root, path):
    with pytest.raises(BadOption):
        joined(root, path)


@pytest.mark.parametrize(
    ("root", "path", "url"),
    [
        ("http://good", "/v1/messages?beta=true", "http://good/v1/messages?beta=true"),
        ("http://good:8000/api", "/v1/x", "http://good:8000/api/v1/x"),
        ("http://good/api/v1", "/v1/x", "http://good/api/v1/x"),
        ("http://good/api/v1/", "/api/v1/x", "http://good/api/v1/x"),
        ("http://good/v1", "/v2/v1/x", "http://good/v1/v2/v1/x"),
        ("http://good", "/v1beta/models/a:generateContent?u=http://x//y", "http://good/v1beta/models/a:generateContent?u=http://x//y"),
        ("http://good", "/m/arn%3Aaws%3Abedrock/converse", "http://good/m/arn%3Aaws%3Abedrock/converse"),
        ("http://good", "/x@y:1/z", "http://good/x@y:1/z"),
        ("https://user:pass@good", "/", "https://user:pass@good/"),
    ],
)  # fmt: skip
def test_a_path_is_joined_to_its_server(root, path, url):
    assert joined(root, path) == url


@given(st.text(max_size=12), st.sampled_from(["", "/", "@", ":80", "//", "\\", ".", "?", "#"]))
def test_whatever_a_path_says_the_server_stays(rest, start):
    """Judged by the standard library's reader of URLs, which is another than the one that connects."""
    try:
        url = joined("http://good:8000", start + rest)
    except BadOption:
        return
    assert urlsplit(url).netloc == "good:8000"


@pytest.mark.parametrize(
    ("format_name", "headers"),
    [
        ("openai-chat", {"authorization": f"Bearer {KEY}"}),
        ("anthropic", {"x-api-key": KEY}),
        ("gemini", {"x-goog-api-key": KEY}),
        ("unknown", {"authorization": f"Bearer {KEY}"}),
    ],
)
def test_a_key_stands_in_one_header(format_name, headers):
    assert key_header(KEY, format_name) == headers
    assert key_header(None, format_name) == {}


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel", " "])
def test_what_cannot_be_a_key_is_said(key):
    with pytest.raises(BadOption, match="cannot be sent"):
        key_header(key)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_no_key_to_another_server(serve, status):
    other = serve({"GET /x": {"models": []}})
    served = serve(
        {
            "GET /a": (status, b"", {"location": f"{other.url}/x"}),
            "GET /b": (status, b"", {"location": "/c"}),
            "GET /c": {},
        }
    )
    assert Web(key=KEY).get(f"{served.url}/a") == {"models": []}
    assert [key for _, _, key in other.asked] == [None]
    assert Web(key=KEY).get(f"{served.url}/b") == {}
    assert [key for _, _, key in served.asked] == [f"Bearer {KEY}"] * 3
    served.answers["POST /a"] = served.answers["GET /a"]
    assert f"sends us on: is the URL right? (HTTP {status})" in fails(lambda: Web(key=KEY).post(f"{served.url}/a", {}))
    assert len(other.asked) == 1


def test_a_server_that_always_sends_on_is_left(serve):
    served = serve({"GET /a": (302, b"", {"location": "/a"})})
    assert "sends on more than 10 times" in fails(lambda: Web().get(f"{served.url}/a"))
    assert len(served.asked) == 10


def test_a_key_is_sent_and_never_shown(serve):
    served = serve({"GET /": {}})
    web = Web(key=KEY)
    web.get(f"{served.url}/")
    assert served.asked[0][2] == f"Bearer {KEY}"
    assert KEY not in repr(web)


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("http://athena:8000", "http://athena:8000"),
        ("http://athena:8000/", "http://athena:8000"),
        ("http://athena:8000/v1", "http://athena:8000"),
        ("http://athena:8000/v1/chat/completions", "http://athena:8000"),
        ("athena:8000/v1/", "http://athena:8000"),
        ("https://openrouter.ai/api/v1?x=1#y", "https://openrouter.ai/api"),
        (" http://[::1]:80/v1 ", "http://[::1]:80"),
    ],
)
def test_any_url_of_a_server_has_its_root(url, root):
    assert root_of(url) == root


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "http://", "http://x:99999", "http://[", "http:///v1", "file:///etc/passwd"]
)
def test_what_is_no_url_of_a_server(url):
    with pytest.raises(BadOption, match="http://HOST:PORT"):
        root_of(url)


def test_a_url_is_shown_without_secrets():
    assert shown_url(f"https://me:{KEY}@host/v1?key={KEY}") == "https://host/v1"
    assert str(NoAnswer(f"https://me:{KEY}@host/v1", "fails")) == "https://host/v1: fails"


OLDER: dict[str, dict[str, Any]] = {
    "sglang": {
        "GET /v1/models": SERVERS["sglang"]["GET /v1/models"],
        "GET /get_model_info": {"model_path": "Qwen/Qwen3-8B", "is_generation": True},
        "GET /get_server_info": {"version": "0.4.1", "tool_call_parser": "qwen25"},
    },
    "lmstudio": {
        "GET /v1/models": SERVERS["lmstudio"]["GET /v1/models"],
        "GET /api/v0/models": {
            "data": [
                {
                    "id": "qwen/qwen3-8b",
                    "arch": "qwen3",
                    "quantization": "Q4_K_M",
                    "state": "loaded",
                    "max_context_length": 40960,
                    "loaded_context_length": 8192,
                    "capabilities": ["tool_use"],
                }
            ]
        },
    },
    "llama.cpp": {"GET /props": SERVERS["llama.cpp"]["GET /props"], "GET /v1/models": {"data": [{"id": "qwen3"}]}},
    "ollama": {key: value for key, value in SERVERS["ollama"].items() if not key.startswith("GET /v1")},
}
CONTEXTS = {
    "ollama": 4096, "llama.cpp": 8192, "vllm": 32768, "sglang": 40960, "lmstudio": 4096, "openrouter": 32000, "openai": 131072,
}  # fmt: skip


@pytest.mark.parametrize("engine", SERVERS)
def test_a_server_is_recognised_and_heard(engine, serve):
    served = serve(SERVERS[engine])
    found = document("--url", served.url)
    assert found["server"]["engine"] == engine
    assert found["spec"]["family"] == "qwen"
    assert found["spec"]["version"] == [3]
    assert found["capability"]["native_tools"] is True
    assert found["capability"]["context_window"] == CONTEXTS[engine]
    assert found["sources"]["capability.context_window"].startswith(
        "offers" if engine == "openai" else f"server: {engine}"
    )


@pytest.mark.parametrize("engine", OLDER)
def test_older_releases_are_recognised(engine, serve):
    found = document("--url", serve(OLDER[engine]).url + "/v1/")
    assert found["server"]["engine"] == engine
    assert found["capability"]["native_tools"] is True


def test_what_each_server_adds(serve):
    said = {engine: document("--url", serve(SERVERS[engine]).url) for engine in SERVERS}
    assert said["llama.cpp"]["spec"]["size"] == 8_000_000_000
    assert (
        document(
            "qwen3", "--url", serve(SERVERS["ollama"] | {"GET /api/tags": {"models": [{"name": "qwen3:latest"}]}}).url
        )["spec"]["size"]
        == 8_190_735_360
    )
    assert said["ollama"]["spec"]["quant"] == "q4_k_m"
    assert said["ollama"]["template"]["dialect"] == "hermes"
    versions = {engine: said[engine]["server"]["version"] for engine in ("ollama", "vllm", "sglang")}
    assert versions == {"ollama": "0.14.2", "vllm": "0.33.0", "sglang": "0.5.23"}
    assert said["llama.cpp"]["template"]["dialect"] == "hermes"
    assert said["llama.cpp"]["sources"]["dialect"] == "its chat template"
    assert said["vllm"]["model"] == "prod"
    assert said["vllm"]["server"]["weights"] == "Qwen/Qwen3-8B"
    assert said["sglang"]["server"]["tool_call_parser"] == "llama3"
    assert said["openrouter"]["capability"]["max_output_tokens"] == 20000
    assert said["openrouter"]["capability"]["structured_outputs"] is False


def test_contradictions_are_marked(serve):
    (wrong,) = document("--url", serve(SERVERS["sglang"]).url)["contradictions"][-1:]
    assert (wrong["field"], wrong["known"], wrong["heard"]) == ("servers.sglang", "--tool-call-parser qwen", "llama3")
    ollama = {**SERVERS["ollama"], "POST /api/show": {"capabilities": ["completion"], "model_info": {}}}
    found = document("qwen3:8b", "--url", serve(ollama).url)
    (tools,) = [each for each in found["contradictions"] if each["field"] == "capability.native_tools"]
    assert (tools["known"], tools["heard"], tools["heard_from"]) == (True, False, "server: ollama")
    assert found["capability"]["native_tools"] is False
    assert "capability.native_tools: yes by registry: qwen >= 3, no by server: ollama" in " ".join(
        run("qwen3:8b", "--url", serve(ollama).url).stdout.split()
    )


def test_a_template_of_another_dialect_contradicts_the_name(serve):
    other = (Path(__file__).resolve().parent.parent / "fixtures/templates/glm47.jinja").read_text(encoding="utf-8")
    props = {**SERVERS["llama.cpp"]["GET /props"], "chat_template": other}
    found = document("--url", serve({**SERVERS["llama.cpp"], "GET /props": props}).url)
    assert found["dialect"] == "glm47"
    assert [each["field"] for each in found["contradictions"] if each["field"] == "dialect"] == ["dialect"]


def test_an_override_wins_over_a_server(serve):
    Path("profiles.toml").write_text('[models."*"]\ncontext_window = 12345\n', encoding="utf-8")
    assert document("--url", serve(SERVERS["vllm"]).url)["capability"]["context_window"] == 12345
    Path("profiles.toml").write_text("[profiles.p.capability]\ncontext_window = 12345\n", encoding="utf-8")
    assert document("-p", "p", "--url", serve(SERVERS["vllm"]).url)["capability"]["context_window"] == 12345


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("qwen3:9b", "'qwen3:9b' is not served there (did you mean 'qwen3:8b'?)"),
        ("zzz", "'zzz' is not served there: qwen3:8b, other:1b"),
        (None, "name one of the models served there: qwen3:8b, other:1b"),
    ],
)
def test_which_model_is_meant(model, message, serve):
    tags = {"models": [{"name": "qwen3:8b"}, {"name": "other:1b"}]}
    result = run(*filter(None, [model]), "--url", serve({**SERVERS["ollama"], "GET /api/tags": tags}).url)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("spelling", ["qwen3:8b", "QWEN3:8B", "ollama/qwen3:8b"])
def test_a_model_may_be_spelt_as_elsewhere(spelling, serve):
    tags = {"models": [{"name": "qwen3:8b"}, {"name": "other:1b"}]}
    served = serve({**SERVERS["ollama"], "GET /api/tags": tags})
    assert document(spelling, "--url", served.url)["server"]["model"] == "qwen3:8b"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "has no such path: is the URL right?"),
        ({"GET /v1/models": (401, {"error": {"message": "no key"}})}, "wants a key: name the variable"),
        ({"GET /v1/models": (403, {})}, "refuses this key"),
        ({"GET /v1/models": (500, {"error": "boom"})}, "fails (HTTP 500: boom)"),
        ({"GET /v1/models": b"<html>hello</html>"}, "no JSON: '<html>hello</html>'"),
        ({"GET /v1/models": {"hello": 1}}, "lists no models: is this a model server?"),
        ({"GET /v1/models": [1, {"data": 2}, None]}, "lists no models"),
        ({"GET /v1/models": {"data": []}}, "lists no models"),
        ({**SERVERS["ollama"], "POST /api/show": (404, {"error": "model not found"})}, "model not found"),
    ],
)
def test_a_server_that_is_none(answers, message, serve):
    result = run("qwen3:8b", "--url", serve(answers).url)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


WRONG = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["data", "models", "id", "name", "meta", "model_info", "capabilities", "details"]), inner
        )
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from([MODELS, "/props", "/api/show", "/api/ps", "/model_info", "/api/v1/models", "/api/tags"]), WRONG
    )
)
def test_no_answer_of_a_server_breaks_reading_it(documents):
    for engine in ENGINES:
        for path, is_its in engine.known_by.items():
            is_its(documents.get(path))
        engine.models(documents)
        facts = engine.facts(documents, "m")
        ServerFacts(engine=engine.name, url="", model="m", **facts).to_dict()


def test_a_key_goes_to_the_server_and_nowhere_else(serve, monkeypatch):
    monkeypatch.setenv("ACME_KEY", KEY)
    served = serve(SERVERS["vllm"])
    result = run("--url", served.url, "--api-key-env", "ACME_KEY", "--json", "-v")
    assert served.asked[0][2] == f"Bearer {KEY}"
    assert KEY not in result.stdout + result.stderr
    assert (
        "ACME_KEY"
        in run("--url", served.url, "--api-key-env", "ACME_KEY", "--save", "p").stderr
        + Path("profiles.toml").read_text()
    )
    unset = run("--url", served.url, "--api-key-env", "NOT_SET")
    assert unset.exit_code == 2
    assert "the variable NOT_SET that should hold the key is not set" in unset.stderr


def test_a_profile_s_server_may_be_away():
    Path("profiles.toml").write_text('[profiles.p]\nmodel = "qwen3:8b"\nurl = "http://127.0.0.1:1"\n', encoding="utf-8")
    result = run("-p", "p")
    assert result.exit_code == 0
    assert "cannot be reached" in result.stderr
    assert "what follows is told without it" in result.stderr
    assert run("-p", "p", "--probe").exit_code == 2
    assert run("qwen3:8b", "--url", "http://127.0.0.1:1").exit_code == 2


def test_a_profile_is_saved(serve):
    served = serve(SERVERS["sglang"])
    result = run("--url", f"{served.url}/v1", "--save", "mine")
    assert result.exit_code == 0
    assert "added 'mine' in profiles.toml" in result.stderr
    profile = read_configuration(Path("profiles.toml")).profile("mine")
    assert (profile.model, profile.url) == ("Qwen/Qwen3-8B", f"{served.url}/v1")
    assert (profile.server.engine, profile.server.tool_call_parser) == ("sglang", "llama3")
    assert profile.capability.context_window == 40960
    again = run("-p", "mine", "--json")
    assert json.loads(again.stdout)["server"]["engine"] == "sglang"
    assert run("--url", served.url, "--save", "mine").exit_code == 2
    assert run("a", "b", "--save", "two").exit_code == 2


def test_a_list_is_joined_by_identity_and_says_what_it_changed():
    entry = {"litellm_provider": "anthropic", "supports_function_calling": True, "max_output_tokens": 64000}
    rows = {
        "claude-opus-4-6": {**entry, "max_input_tokens": 123_456},
        "claude-opus-77": {**entry, "max_input_tokens": 200_000},
    }
    Path("list.json").write_text(json.dumps(rows), encoding="utf-8")
    result = run("--refresh", "list.json")
    assert "litellm: 2 models kept in" in result.stderr
    assert "by identity 1 of 2 known before, 1 with other figures" in result.stderr
    for spelling in ("anthropic:claude-opus-4.6", "us.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6@latest"):
        found = document(spelling)
        assert found["capability"]["context_window"] == 123_456
        assert found["sources"]["capability.context_window"] == "listing: litellm"


def test_what_a_prompt_may_take_is_put_back_to_the_window():
    row = {"supports_function_calling": True, "max_input_tokens": 272_000, "max_output_tokens": 128_000}
    Path("list.json").write_text(json.dumps({"gpt-5": row}), encoding="utf-8")
    run("--refresh", "list.json")
    assert document("gpt-5")["capability"]["context_window"] == 400_000


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package that has a copy of the list; it may not be imported."""
    place = tmp_path / "site" / "litellm"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("raise AssertionError('imported')", encoding="utf-8")
    (place / "model_prices_and_context_window_backup.json").write_text(json.dumps(LITELLM), encoding="utf-8")
    monkeypatch.syspath_prepend(str(place.parent))


@pytest.mark.usefixtures("package")
def test_a_list_is_taken_from_an_installed_package():
    result = run("--refresh", "package:litellm")
    assert result.exit_code == 0
    assert "litellm: 1 models kept in" in result.stderr
    assert document("acme/bot-1")["capability"]["context_window"] == 64000


@pytest.mark.usefixtures("package")
def test_offline_the_installed_copy_is_taken_and_it_says_so(monkeypatch):
    monkeypatch.setitem(listings.LISTS, "litellm", "http://127.0.0.1:9/list.json")
    result = run("--refresh", "litellm")
    assert result.exit_code == 0
    assert "cannot be reached" in result.stderr
    assert "the copy of the installed package" in result.stderr


def test_offline_without_a_copy_it_says_what_to_do(monkeypatch):
    monkeypatch.setitem(listings.LISTS, "openrouter", "http://127.0.0.1:9/list.json")
    result = run("--refresh", "openrouter")
    assert result.exit_code == 2
    assert "offline give a FILE, or package:NAME (litellm, models.dev)" in result.stderr
    assert run("--refresh", "package:nothing").exit_code == 2
