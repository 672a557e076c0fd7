"""The HTML page: sound, closed in itself, escaped beyond doubt, complete; and in a browser, where there is one."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import html5lib
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from utp_cli import parse
from utp_cli.app import app
from utp_cli.commands.html_page import drawing_for
from utp_cli.io.output import Output
from utp_cli.io.sessions import read_sessions
from utp_cli.protocol.calls import ParseResult, Repair, ToolCall
from utp_cli.protocol.findings import Finding, Place
from utp_cli.protocol.spans import Segment
from utp_cli.replaying.compare import compare
from utp_cli.replaying.run import replay_parts, replay_sessions
from utp_cli.replaying.session import Exchange
from utp_cli.views.page import page as page_module
from utp_cli.views.page.asked import asked
from utp_cli.views.page.changes import difference, pairs, repaired
from utp_cli.views.page.explaining import flags
from utp_cli.views.page.marking import Box, Mark, stretches
from utp_cli.views.page.page import Page
from utp_cli.views.page.quoting import pieces, quote, steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
SESSIONS = ["page/healthy.jsonl", "page/broken.jsonl", "page/hostile.jsonl", "sessions/lost-call.jsonl"]
ANSWERS = sorted(path.name for path in (FIXTURES / "answers").iterdir() if path.suffix != ".yaml")

HTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
ELEMENTS = {
    *(f"{HTML}{name}" for name in (
        "a", "article", "b", "body", "bdi", "button", "caption", "code", "dd", "del", "details", "div", "dl", "dt",
        "fieldset", "footer", "form", "h1", "h2", "h3", "h4", "h5", "head", "header", "html", "i", "input", "ins", "kbd",
        "label", "legend", "li", "main", "meta", "nav", "ol", "option", "output", "p", "pre", "script", "section",
        "select", "span", "strong", "style", "summary", "table", "tbody", "td", "th", "title", "tr", "ul",
    )),
    *(f"{SVG}{name}" for name in ("svg", "rect")),
}  # fmt: skip
"""All that a page is built of; anything else would come from what it shows."""
ATTRIBUTES = {
    "id", "class", "href", "hidden", "open", "title", "tabindex", "lang", "charset", "content", "name", "http-equiv",
    "type", "value", "for", "role", "scope", "checked", "autocomplete", "spellcheck", "placeholder", "viewBox",
    "preserveAspectRatio", "width", "height", "x", "y", "aria-label", "aria-hidden", "aria-labelledby", "data-sign",
    "data-status", "data-find",
}  # fmt: skip


def replayed(*names: str) -> str:
    """Draw sessions of the fixtures as `utp replay` does."""
    written: list[str] = []
    sink = Output()
    sink.write = lambda text: written.append(text) is None  # type: ignore[method-assign]
    drawing = drawing_for("utp replay", names, None, "html", sink, quiet=False)
    assert drawing
    sessions = (session for name in names for session in read_sessions(FIXTURES / name))
    list(drawing.parts(replay_parts(sessions, {}, engine=drawing.engine)))
    return "".join(written)


def drawn(*results: ParseResult) -> str:
    page = Page("answers")
    for result in results:
        page.add(result)
    return "".join(page.pieces())


def tree_of(page: str) -> Element:
    """Parse as browsers do, and raise at the first fault."""
    page.encode()  # no lone surrogate
    return html5lib.HTMLParser(strict=True).parse(page)


def text_of(element: Element) -> str:
    return "".join(element.itertext())


def elements(tree: Element) -> list[Element]:
    return [element for element in tree.iter() if isinstance(element.tag, str)]


def check_sound(page: str) -> Element:
    """Check what holds for every page, whatever it shows."""
    tree = tree_of(page)
    everything = elements(tree)
    assert {element.tag for element in everything} <= ELEMENTS
    assert {name for element in everything for name in element.attrib} <= ATTRIBUTES
    assert [element.tag for element in everything].count(f"{HTML}script") == 1
    assert [element.tag for element in everything].count(f"{HTML}style") == 1
    ids = [element.get("id") for element in everything if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in everything:
        if "href" in element.attrib:
            assert element.get("href", "")[0] == "#"
            assert element.get("href", "")[1:] in ids
        for name in ("for", "aria-labelledby"):
            assert element.get(name, ids[0]) in ids
    return tree


@pytest.fixture(autouse=True)
def _no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module", params=SESSIONS)
def session(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param, replayed(request.param)


# -- sound and closed --------------------------------------------------------------------------------------------


def test_sessions_make_sound_pages(session):
    check_sound(session[1])


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_make_sound_pages(name):
    check_sound(drawn(parse((FIXTURES / "answers" / name).read_bytes())))


def test_empty_page():
    assert "No answer in it" in text_of(check_sound(drawn()))


def test_only_its_own_style_and_script_count(session):
    """The policy allows nothing to be loaded, and names what stands in the page by its hash."""
    tree = tree_of(session[1])
    policy = next(e.get("content", "") for e in tree.iter(f"{HTML}meta") if e.get("http-equiv"))
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind in ("style", "script"):
        text = text_of(next(tree.iter(f"{HTML}{kind}")))
        assert rules[f"{kind}-src"] == f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        assert not re.search(r"url\(|@import|https?:|fetch|XMLHttp|innerHTML|eval\(", text)


def test_no_template_lets_anything_pass_unescaped():
    for path in (Path(page_module.__file__).parent / "templates").iterdir():
        assert not re.search(r"\|\s*safe|autoescape|Markup", path.read_text(encoding="utf-8")), path.name


def test_hostile_text_is_shown_and_does_nothing():
    page = replayed("page/hostile.jsonl")
    shown = text_of(check_sound(page))
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in shown
    assert "{{ 7*7 }}" in shown
    assert "ESC[31m" in shown
    for picture in ("U+202E", "U+2066", "U+200B", "U+D800", "U+E0041", "U+FFFE", "U+009B"):
        assert f"⟨{picture}⟩" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", page)


NASTY = st.lists(
    st.sampled_from(
        [*"<>&\"'/=-!{}%# \n\t\r\0\x1b\u202eé😀\u0301\ufffe", "\ud83d", "]]>", "<!--", "</pre>", "<script>"]
    )
    | st.characters(),
    max_size=40,
).map("".join)


@settings(max_examples=40)
@given(NASTY, NASTY, NASTY)
def test_any_text_makes_a_sound_page(one, other, third):
    text = f"{one}<tool_call>{json.dumps({'name': other, 'arguments': {third: one}})}</tool_call>{third}"
    request = {"messages": [{"role": other, "content": third}, {"role": "tool", "content": [{"text": one}]}]}
    exchange = Exchange(response={}, request=request, expected=[{"name": one, "arguments": {other: third}}])
    page = Page(one)
    page.add(parse(text, model=third), other, compare(exchange, parse(text, model=third)))
    check_sound("".join(page.pieces()))


# -- complete ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SESSIONS)
def test_every_call_repair_and_diagnosis_is_there(name):
    tree = tree_of(replayed(name))
    by_id = {element.get("id"): element for element in elements(tree) if element.get("id")}
    [replay] = replay_sessions(read_sessions(FIXTURES / name)).sessions
    assert len(replay.exchanges) == len(list(tree.iter(f"{HTML}article"))) > 0
    for number, compared in enumerate(replay.exchanges, 1):
        result = compared.result
        assert by_id[f"x{number}"].get("data-status") == compared.status
        for kind, calls in (("c", result.calls), ("x", result.rejected)):
            for at, call in enumerate(calls):
                card = by_id[f"x{number}{kind}{at}"]
                assert len(list(card.iter(f"{HTML}dt"))) == len(call.arguments)
                assert squeezed(shown(call.name or "?")) in squeezed(text_of(card))
                assert call.parser in text_of(card)
        for at, finding in enumerate(result.diagnoses):
            told = text_of(by_id[f"x{number}d{at}"])
            assert finding.code in told
            assert squeezed(shown(finding.message)) in squeezed(told)
        for at in range(len(result.repairs)):
            assert by_id[f"x{number}r{at}"].get("href") in {f"#x{number}r{at}p", *(f"#{i}" for i in by_id)}


def shown(text: str) -> str:
    return "".join(piece for _, piece in pieces(text))


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_the_text_stands_there_as_it_was_written():
    text = (FIXTURES / "answers" / "call-in-thinking.txt").read_text(encoding="utf-8")
    tree = tree_of(drawn(parse(text)))
    written = next(tree.iter(f"{HTML}pre"))
    for title in [e for e in written.iter(f"{HTML}a") if e.get("class") == "title"]:
        title.text = ""
        for child in title:
            child.text = ""
    assert text_of(written) == text


def test_the_first_lines_say_what_is_wrong_and_what_to_change():
    tree = tree_of(replayed("page/broken.jsonl"))
    assert "6 of 9 answers went wrong" in text_of(next(tree.iter(f"{HTML}h1")))
    first = next(e for e in tree.iter(f"{HTML}li") if "cause" in e.get("class", ""))
    assert "call-left-in-content" in text_of(first)
    do = next(e for e in first.iter(f"{HTML}div") if e.get("class") == "do")
    assert [text_of(code) for code in do.iter(f"{HTML}code")] == ["--enable-auto-tool-choice --tool-call-parser hermes"]
    assert [a.get("href") for a in first.iter(f"{HTML}a")] == ["#x1", "#x2"]


def test_a_healthy_session_has_nothing_to_change():
    page = replayed("page/healthy.jsonl")
    assert "4 answers, all as they should be" in text_of(next(tree_of(page).iter(f"{HTML}h1")))
    assert "What to change" not in page
    assert "<details open" not in page


def test_faults_of_the_conversation_alone_are_in_the_verdict():
    page = Page("one")
    page.add(parse("Fine."))
    finding = Finding(code="orphan-tool-result", severity="error", message="answers no call", hint="drop it")
    page.converse("s", [finding], [], [])
    tree = check_sound("".join(page.pieces()))
    assert text_of(next(tree.iter(f"{HTML}h1"))) == "! Every answer was read, but the conversation has faults"
    assert "orphan-tool-result" in text_of(tree)


def test_one_answer_that_regressed_says_so():
    result = parse('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>')
    exchange = Exchange(response={}, expected=[{"name": "f", "arguments": {"a": 2}}, {"name": "g", "arguments": {}}])
    page = Page("one")
    page.add(result, "s.jsonl", compare(exchange, result))
    tree = check_sound("".join(page.pieces()))
    assert text_of(next(tree.iter(f"{HTML}h1"))) == "✗ regressed: g lost; f changed"
    assert "utp parse --from 's.jsonl#0'" in text_of(tree)


def test_charts_count_calls_and_repairs():
    tree = tree_of(replayed("page/broken.jsonl"))
    labels = [svg.get("aria-label") for svg in tree.iter(f"{SVG}svg") if svg.get("role") == "img"]
    assert "1 as written, 2 after repairs, 1 lost" in labels
    assert "10 safe, 0 likely, 0 a guess" in labels
    for svg in tree.iter(f"{SVG}svg"):
        rects = [rect for rect in svg.iter(f"{SVG}rect") if rect.get("x")]
        assert sum(float(rect.get("width", "")) for rect in rects) <= 100.01


# -- long, many --------------------------------------------------------------------------------------------------


def test_five_megabytes_stay_a_page():
    text = "<script>alert(1)</script>\x1b[31m " * 160_000
    at = len(text) // 2
    result = ParseResult(
        content=text,
        texts={"": text},
        calls=[ToolCall(name="f", arguments={"a": text}, id="1", rung="markup", span=(at, at + 9), repairs=(0,))],
        repairs=[Repair(code="trailing-comma", layer="syntax", confidence="safe", span=(at + 4, at + 5), before=",")],
        segments=[Segment(kind="text", pointer="", span=(0, len(text)))],
        findings=[
            Finding(code="c", severity="error", message=text, evidence=text, fix=text, place=Place(span=(9, at)))
        ],
    )
    request = {"messages": [{"role": "tool", "content": text}]}
    page = Page("big")
    page.add(result, "s", compare(Exchange(response={}, request=request, expected=[]), result))
    html = "".join(page.pieces())
    assert len(html) < 150_000
    tree = check_sound(html)
    gaps = [text_of(e) for e in tree.iter(f"{HTML}span") if e.get("class") == "gap"]
    assert any(gap.startswith("4,9") and gap.endswith(" characters not shown") for gap in gaps)
    assert "x1r0p" in {e.get("id") for e in elements(tree)}  # the surroundings of a repair are shown, wherever it is


def test_what_there_is_no_room_for_is_counted(monkeypatch):
    monkeypatch.setattr(page_module, "_ROOM", 1)
    monkeypatch.setattr(page_module, "_RESERVE", 8000)
    good, bad = parse("plain"), parse('<tool_call>{"name": "f", "arguments": {"a": "cut', finish_reason="length")
    page = Page("many")
    for result in [good, good, good, bad, bad, bad, bad]:
        page.add(result)
    tree = check_sound("".join(page.pieces()))
    signs = [article.get("data-sign") for article in tree.iter(f"{HTML}article")]
    assert signs[0] == "good"
    assert 1 < len(signs) < 6
    assert set(signs[1:]) == {"lost"}
    assert f"{7 - len(signs)} more answers counted above but not shown" in text_of(tree)
    assert "4 of 7 answers went wrong" in text_of(tree)


def test_lists_that_are_too_long_say_by_how_much():
    calls = "".join(f'<tool_call>{{"name": "f{at}", "arguments": {{"a": 1,}}}}</tool_call>' for at in range(120))
    native = {
        "choices": [{"message": {"tool_calls": [
            {"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}} for at in range(30)
        ]}}]
    }  # fmt: skip
    told = text_of(check_sound(drawn(parse(calls), parse(native))))
    assert "and 20 more calls" in told
    assert "and 20 more repairs" in told
    assert "and 6 more texts" in told


def test_memory_does_not_grow_with_the_answers(monkeypatch):
    monkeypatch.setattr(page_module, "_ROOM", 30_000)
    page = Page("many")
    good = parse("plain text " * 50)
    for _ in range(90):
        page.add(good)
    assert sum(map(len, page._written)) < 33_000
    assert page._summary.answers == 90


# -- parts -------------------------------------------------------------------------------------------------------


@st.composite
def marked_texts(draw: Any) -> tuple[str, list[Segment], list[Box], list[Mark]]:
    text = draw(st.text("ab\n", min_size=1, max_size=60)) * draw(st.sampled_from([1, 1, 800]))
    places = st.integers(0, len(text))
    spans = st.lists(st.tuples(places, places).map(sorted).map(tuple), max_size=6)
    cuts = sorted({0, len(text), *draw(st.lists(places, max_size=5))})
    kinds = ["text", "reasoning", "markup", "call", "layout"]
    segments = [
        Segment(kind=draw(st.sampled_from(kinds)), pointer="", span=(left, right))
        for left, right in zip(cuts, cuts[1:], strict=False)
    ]
    boxes = [Box(span=s, anchor=f"b{i}", target="t", title="", kept=True) for i, s in enumerate(draw(spans))]
    marks = [Mark(span=s, anchor=f"m{i}", target="t", title="", sign="look") for i, s in enumerate(draw(spans))]
    return text, segments, boxes, marks


@given(marked_texts())
def test_runs_are_the_text(case):
    text, segments, boxes, marks = case
    parts, ids = stretches(text, segments, boxes, marks)
    runs = [run for part in parts for run in part.runs]
    at = 0
    for run in runs:
        assert text[at : at + len(run.text)] == run.text
        at += run.left_out or len(run.text)
    assert at == len(text)
    anchors = [anchor for run in runs for anchor in run.starts] + [p.box.anchor for p in parts if p.box and p.first]
    assert len(anchors) == len(set(anchors))
    assert set(anchors) == ids
    if len(text) < 1000:
        assert {mark.anchor for mark in marks} <= ids
        for run in runs:
            assert all(
                run.kind == segment.kind for segment in segments if run.text and covers(segment, text, runs, run)
            )


def covers(segment: Segment, text: str, runs: list[Any], run: Any) -> bool:
    start = sum(len(other.text) for other in runs[: next(i for i, o in enumerate(runs) if o is run)])
    return segment.span[0] <= start < segment.span[1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_a_difference_is_both_texts(before, after):
    change = difference(before, after)
    assert change.start + change.removed + change.end == before
    assert change.start + change.added + change.end == after
    assert not (change.removed and change.added and change.removed[0] == change.added[0])


def test_a_repair_is_shown_in_its_line():
    text = 'one\n{"a": 1,}\ntwo'
    change = repaired(Repair(code="c", layer="syntax", confidence="safe", span=(11, 12), before=",", after=""), text)
    assert (change.start, change.removed, change.added, change.end) == ('{"a": 1', ",", "", "}")


def test_calls_are_paired_by_name():
    lost = [{"name": "f", "arguments": {"a": 1, "b": "xyz"}}, {"name": "g", "arguments": {}}]
    found = [{"name": "f", "arguments": {"a": "1", "b": "xYz", "c": 0}}, {"name": "h", "arguments": {}}]
    both = pairs(lost, found)
    assert [(pair.name, pair.state) for pair in both] == [("f", "changed"), ("g", "lost"), ("h", "found")]
    assert [(row.name, row.state) for row in both[0].rows] == [("a", "changed"), ("b", "changed"), ("c", "extra")]
    assert both[0].rows[1].change == difference("xyz", "xYz")


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"messages": [{"role": "user", "content": "a"}, {"role": "assistant"}, {"role": "tool", "content": "b"}]},
         [("tool", "b")]),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": [{"text": "a"}]}, {"text": "b"}]}]},
         [("user", "a\nb")]),
        ({"contents": [{"role": "model", "parts": []}, {"role": "user", "parts": [{"text": "a"}]}]}, [("user", "a")]),
        ({"input": [{"type": "function_call_output", "output": "a"}]}, [("function_call_output", "a")]),
        ({"contents": [{"role": "user", "parts": [{"functionResponse": {"name": "f"}}]}]},
         [("user", '{"functionResponse": {"name": "f"}}')]),
        ({"messages": [3, None, {"role": 4}]}, [("message", "3"), ("message", ""), ("message", '{"role": 4}')]),
        (None, []),
        ({"messages": "x"}, []),
    ],
)  # fmt: skip
def test_what_was_new_in_a_request(request_, told):
    assert [(message.role, message.text) for message in asked(request_)] == told


def test_quotes_count_what_they_leave_out():
    cut = quote("x" * 1000, 100)
    assert len(cut.head) + cut.left_out + len(cut.tail) == 1000
    assert quote("x" * 110, 100).left_out == 0


def test_hidden_characters_become_pictures():
    assert list(pieces("a\x1b[0m\tb\n\u202e")) == [
        (False, "a"), (True, "ESC"), (False, "[0m\tb\n"), (True, "⟨U+202E⟩"),
    ]  # fmt: skip
    assert shown("Z" + "\u0301" * 6) == "Z" + "\u0301" * 4 + "⟨U+0301⟩" * 2


def test_a_cause_is_explained_on_the_page():
    page = drawn(parse((FIXTURES / "answers" / "call-in-content.json").read_bytes(), provider="vllm"))
    [explained] = [e for e in elements(check_sound(page)) if e.get("class") == "explained"]
    told = " ".join(" ".join(explained.itertext()).split())
    assert told.startswith("Why, and what proves it What people see: The agent prints the call")
    assert "What proves it: There is no structured call" in told
    assert "Error texts" not in told
    assert told.endswith("utp explain call-left-in-content")


def test_flags_are_kept_whole():
    assert flags("--enable-auto-tool-choice --tool-call-parser hermes") == [
        (True, "--enable-auto-tool-choice"),
        (False, " "),
        (True, "--tool-call-parser hermes"),
    ]
    assert flags("a-b --c=d (--e) -f g") == [
        (False, "a-b "),
        (True, "--c=d"),
        (False, " (--e) "),
        (True, "-f g"),
    ]
    assert flags("no flag") == [(False, "no flag")]
    page = drawn(parse((FIXTURES / "answers" / "call-in-content.json").read_bytes(), provider="vllm"))
    do = next(e for e in elements(tree_of(page)) if e.get("class") == "do")
    shown = {text_of(e) for e in elements(do) if e.get("class") == "flag"}
    assert shown == {"--enable-auto-tool-choice", "--tool-call-parser hermes"}


def test_steps_tell_words_from_code():
    assert steps("vLLM: --a-b --c hermes; set `x: y` (see --z); utp parse --from 'a b#1'") == [
        [(False, "vLLM: "), (True, "--a-b --c hermes")],
        [(False, "set "), (True, "x: y"), (False, " (see "), (True, "--z"), (False, ")")],
        [(True, "utp parse --from 'a b#1'")],
    ]
    assert steps("--jinja, with a --file where `x` is")[0][-4:] == [
        (True, "--file"), (False, " where "), (True, "x"), (False, " is"),
    ]  # fmt: skip


# -- colours -----------------------------------------------------------------------------------------------------


def colours(theme: int) -> dict[str, str]:
    css = (Path(page_module.__file__).parent / "templates" / "page.css").read_text(encoding="utf-8")
    return {name: values[theme] for name, *values in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", css)}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


INKS = ["ink", "dim", "link", "lost", "look", "repaired", "good", "thought"]
GROUNDS = [(ink, ground) for ink in INKS for ground in ("paper", "sheet", "well")]
GROUNDS += [(ink, f"{ink}-bg") for ink in ("lost", "look", "repaired", "good")]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), GROUNDS)
def test_contrast(theme, ink, ground):
    """WCAG 2.2, 1.4.3: at least 4.5 to 1."""
    found = colours(theme)
    high, low = sorted((luminance(found[ink]), luminance(found[ground])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


# -- commands ----------------------------------------------------------------------------------------------------


def utp(*args: str, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, list(args), input=stdin)


def test_parse_writes_one_page_of_all_answers(tmp_path):
    files = [str(FIXTURES / "answers" / name) for name in ("openai-clean.json", "truncated.json")]
    done = utp("parse", "-f", "html", *files)
    assert done.exit_code == 1
    tree = check_sound(done.stdout)
    assert len(list(tree.iter(f"{HTML}article"))) == 2
    assert "openai-clean.json, " in text_of(next(tree.iter(f"{HTML}header")))


def test_a_page_beside_the_result(tmp_path):
    out = tmp_path / "page.html"
    done = utp("parse", str(FIXTURES / "answers" / "openai-clean.json"), "--json", "--html", str(out))
    assert done.exit_code == 0
    assert json.loads(done.stdout)["schema"] == "utp.parse/1"
    assert "open it in a browser" in done.stderr
    check_sound(out.read_text(encoding="utf-8"))


def test_replay_writes_the_same_page_both_ways(tmp_path):
    file, out = str(FIXTURES / "page" / "broken.jsonl"), tmp_path / "page.html"
    beside = utp("replay", file, "--html", str(out))
    alone = utp("replay", file, "-f", "html")
    assert (beside.exit_code, alone.exit_code) == (1, 1)
    assert out.read_text(encoding="utf-8") == alone.stdout
    assert "9 exchanges" in beside.stdout


@pytest.mark.parametrize(
    "args",
    [
        ("replay", "x.jsonl", "-f", "html", "--html", "y.html"),
        ("replay", "x.jsonl", "-f", "html", "--jobs", "2"),
        ("replay", "x.jsonl", "--html", "y.html", "--engine", "dask"),
        ("replay", "x.jsonl", "--html", "y.html", "--suggest"),
        ("parse", "--repair-only", "--html", "y.html"),
        ("parse", str(FIXTURES / "answers" / "truncated.json"), "--html", "no/such/folder/y.html"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_said(args):
    done = utp(*args)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


# -- in a browser ------------------------------------------------------------------------------------------------

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
browser_needed = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="neither Chromium nor its driver is installed")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    folder = tmp_path_factory.mktemp("profile")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={folder}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    with suppress(OSError):
        driver.quit()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Any:
    """Open sessions from disk."""

    def open_(name: str, fragment: str = "", *, script: bool = True, width: int = 1280, dark: bool = False) -> Any:
        file = tmp_path / "page.html"
        file.write_text(replayed(name), encoding="utf-8")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        chromium.get("about:blank")
        chromium.get(f"file://{file}{fragment}")
        return chromium

    yield open_
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def shows(driver: Any, names: list[str]) -> bool:
    """Whether these articles are shown, once the page has filtered: it does so when it has time."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, 10).until(lambda _: [one.get_attribute("id") for one in articles(driver)] == names)


def articles(driver: Any) -> list[Any]:
    return [article for article in driver.find_elements("css selector", "article") if article.is_displayed()]


@browser_needed
@pytest.mark.parametrize("name", SESSIONS)
def test_it_opens_from_disk_without_a_complaint(opened, name):
    driver = opened(name)
    assert driver.get_log("browser") == []
    assert articles(driver)


@browser_needed
def test_filter_and_search(opened):
    driver = opened("page/broken.jsonl")
    assert len(articles(driver)) == 9
    driver.find_element("css selector", "input[value=look]").click()
    assert shows(driver, ["x6"])
    driver.find_element("css selector", "input[name=show][value='']").click()
    find = driver.find_element("id", "find")
    find.send_keys("Trailing-comma SAFE")
    assert shows(driver, ["x1"])
    assert driver.find_element("id", "count").text == "1 of 9"
    find.send_keys(" and what nobody wrote")
    assert shows(driver, [])
    driver.find_element("id", "clear").click()
    assert len(articles(driver)) == 9
    driver.find_element("css selector", "select[name=status]").send_keys("regressed")
    assert shows(driver, ["x2", "x4", "x5"])


@browser_needed
def test_a_name_in_a_chart_finds_its_answers(opened):
    driver = opened("page/broken.jsonl")
    driver.find_element("css selector", "button[data-find], .chart button.name").click()
    assert driver.find_element("id", "find").get_attribute("value") == "hermes"
    assert 0 < len(articles(driver)) < 9


@browser_needed
def test_an_anchor_opens_what_is_folded(opened):
    driver = opened("page/healthy.jsonl", "#x3c0p")
    assert driver.find_element("id", "x3c0p").is_displayed()
    assert not driver.find_element("id", "x2c0p").is_displayed()


@browser_needed
def test_pointing_at_a_repair_lights_up_its_place(opened):
    from selenium.webdriver import ActionChains

    driver = opened("page/broken.jsonl")
    site = driver.find_element("id", "x1r0")
    ActionChains(driver).move_to_element(site).perform()
    lit = driver.find_elements("css selector", "pre .lit")
    assert [element.text for element in lit] == [","]
    assert lit[0].get_attribute("href").endswith("#x1r0")


@browser_needed
def test_keys(opened):
    from selenium.webdriver import ActionChains

    driver = opened("page/healthy.jsonl")
    ActionChains(driver).send_keys("jj").perform()
    focused = driver.switch_to.active_element
    assert focused.find_element("xpath", "ancestor::article").get_attribute("id") == "x2"
    ActionChains(driver).send_keys("\ue007").perform()
    assert driver.find_element("id", "x2c0").is_displayed()
    ActionChains(driver).send_keys("/").perform()
    assert driver.switch_to.active_element.get_attribute("id") == "find"


@browser_needed
@pytest.mark.parametrize("width", [320, 360, 800, 1280])
@pytest.mark.parametrize("script", [True, False])
def test_no_flag_is_broken_at_any_width(opened, width, script):
    driver = opened("sessions/lost-call.jsonl", script=script, width=width)
    flags_shown = driver.find_elements("css selector", ".do .flag")
    line = driver.find_element("css selector", ".do .flag").rect["height"]
    assert {flag.text for flag in flags_shown} == {"--enable-auto-tool-choice", "--tool-call-parser hermes"}
    assert {flag.rect["height"] for flag in flags_shown} == {line}
    assert line < 30


@browser_needed
def test_it_can_be_read_without_javascript(opened):
    driver = opened("page/broken.jsonl", script=False)
    assert "6 of 9 answers went wrong" in driver.find_element("css selector", "h1").text
    assert len(articles(driver)) == 9
    assert not driver.find_element("id", "filter").is_displayed()
    assert driver.find_element("id", "x1c0").is_displayed()
    driver.find_element("css selector", "#x9 summary").send_keys("\n")  # a click may come while the page still scrolls
    assert driver.find_element("css selector", "#x9 pre").is_displayed()


@browser_needed
@pytest.mark.parametrize("dark", [False, True])
def test_it_takes_the_colours_of_the_system_until_told_otherwise(opened, dark):
    driver = opened("page/healthy.jsonl", dark=dark)

    def ground() -> str:
        return driver.find_element("css selector", "body").value_of_css_property("background-color")

    grounds = [f"rgba({', '.join(str(int(colours(t)['paper'][i : i + 2], 16)) for i in (1, 3, 5))}, 1)" for t in (0, 1)]
    assert ground() == grounds[dark]
    theme = driver.find_element("id", "theme")
    theme.click()
    assert (theme.text, ground()) == ("Theme: light", grounds[0])
    theme.click()
    assert (theme.text, ground()) == ("Theme: dark", grounds[1])
    theme.click()
    assert ground() == grounds[dark]


@browser_needed
@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("name", ["page/broken.jsonl", "page/hostile.jsonl"])
def test_it_fits_any_width(opened, name, width):
    driver = opened(name, width=width)
    driver.find_element("id", "fold").click()
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
