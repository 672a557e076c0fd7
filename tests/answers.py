"""Answers built by hand, for the views: what people see must not depend on what the engine can do."""

from __future__ import annotations

from utp_cli.protocol.calls import (
    Attempt,
    Note,
    ParseResult,
    Problem,
    Rejected,
    Repair,
    ServerCall,
    ToolCall,
    WireFacts,
)
from utp_cli.protocol.findings import Finding
from utp_cli.protocol.spans import Segment

CONTENT = "/choices/0/message/content"

_HERMES = 'Let me look.\n<tool_call>\n{"name": "search_code", "arguments": {"query": "auth handler", "limit": 5,}}\n</tool_call>'


def skipped(*rungs: tuple[str, str]) -> list[Attempt]:
    return [
        Attempt(rung=rung, parser=parser, outcome="skipped", reason="a higher rung fired")  # type: ignore[arg-type]
        for rung, parser in rungs
    ]


def left_in_content() -> ParseResult:
    comma = _HERMES.index(",}")
    repair = Repair(
        code="trailing-comma", layer="syntax", confidence="safe", call=0, span=(comma, comma + 1), before=",", after="",
        message="dropped a comma before }",
    )  # fmt: skip
    end = len(_HERMES)
    segments = [
        Segment(kind="text", pointer=CONTENT, span=(0, 12)),
        Segment(kind="layout", pointer=CONTENT, span=(12, 13)),
        Segment(kind="markup", pointer=CONTENT, span=(13, 24)),
        Segment(kind="call", pointer=CONTENT, span=(24, end - 12)),
        Segment(kind="markup", pointer=CONTENT, span=(end - 12, end)),
    ]
    finding = Finding(
        code="call-left-in-content", severity="error",
        message="the call is in message.content as hermes markup; tool_calls is empty",
        evidence="/choices/0/message/content: <tool_call>",
        fix="vllm serve … --enable-auto-tool-choice --tool-call-parser hermes",
    )  # fmt: skip
    return ParseResult(
        shape="openai-chat",
        content="Let me look.",
        calls=[
            ToolCall(
                name="search_code", arguments={"query": "auth handler", "limit": 5}, id="call_0", rung="markup",
                parser="hermes", pointer=CONTENT, span=(13, end), valid=True, repairs=(0,),
            )
        ],
        repairs=[repair],
        attempts=[
            Attempt(rung="native", parser="openai-chat", outcome="declined", reason="tool_calls is []"),
            Attempt(rung="markup", parser="hermes", outcome="fired", reason="<tool_call> at 13", calls=1),
            *skipped(("json", "json-content"), ("heuristic", "intent")),
        ],
        texts={CONTENT: _HERMES},
        segments=segments,
        findings=[finding],
    )  # fmt: skip


def clean_native() -> ParseResult:
    calls = [
        ToolCall(
            name="get_weather", arguments={"city": city}, id=f"toolu_01{city}aBcDeFgH", parser="anthropic", valid=True,
            pointer=f"/content/{at}/input",
        )
        for at, city in enumerate(("Oslo", "Turku"))
    ]  # fmt: skip
    return ParseResult(shape="anthropic", finish_reason="tool_use", calls=calls)


def plain_answer() -> ParseResult:
    return ParseResult(shape="ollama", finish_reason="stop", content="x" * 212)


def cut_off() -> ParseResult:
    finding = Finding(
        code="truncated-call", severity="error", message="the answer ended inside the call",
        fix="raise max_tokens (request had 1,024), or ask for smaller files",
    )  # fmt: skip
    call = Rejected(
        name="write_file", arguments={"path": "a.py", "content": "def main():\n" + "    pass\n" * 430}, id="call_0",
        rung="native", parser="openai-chat", pointer="/choices/0/message/tool_calls/0/function/arguments",
        reason="truncated", partial=("/content",), raw='{"path": "a.py", "content": "def main():\\n' + "    pass\\n" * 430,
    )  # fmt: skip
    return ParseResult(
        shape="openai-chat", finish_reason="length", rejected=[call], findings=[finding],
        attempts=[
            Attempt(rung="native", parser="openai-chat", outcome="fired", reason="1 native call"),
            *skipped(("json", "json-content"), ("heuristic", "intent")),
        ],
    )  # fmt: skip


def invalid_call() -> ParseResult:
    problems = (
        Problem(
            code="unknown-tool", message="there is no tool 'get_wether'", hint="did you mean 'get_weather'?",
            received="get_wether",
        ),
        Problem(code="wrong-type", pointer="/days", message="must be an integer, is the text 'three'", expected="integer"),
    )  # fmt: skip
    call = ToolCall(
        name="get_wether", arguments={"city": "東京都" * 20, "days": "three"}, id="call_abc", parser="openai-chat",
        valid=False, problems=problems,
    )  # fmt: skip
    note = Note(code="duplicate-key", message="'city' stands twice; the last one counts", span=(9, 15))
    return ParseResult(shape="openai-chat", finish_reason="tool_calls", calls=[call], kept_notes=[note])


def thinking() -> ParseResult:
    text = "<think>\nI could call <tool_call>{}</tool_call> now.\nNo.</think>I'll call search now."
    segments = [
        Segment(kind="markup", pointer="", span=(0, 7)),
        Segment(kind="reasoning", pointer="", span=(7, 55)),
        Segment(kind="markup", pointer="", span=(55, 63)),
        Segment(kind="text", pointer="", span=(63, len(text))),
    ]
    draft = Rejected(
        name=None, arguments={}, id="call_0", rung="markup", parser="hermes", reason="in-reasoning", span=(21, 46),
        raw="{}",
    )  # fmt: skip
    intent = Rejected(
        name="search", arguments={}, id="call_1", rung="heuristic", parser="intent", reason="intent",
        span=(63, len(text)), raw="I'll call search now",
    )  # fmt: skip
    return ParseResult(
        shape="text", content=text[63:], reasoning=text[7:55], rejected=[draft, intent], texts={"": text},
        segments=segments,
        attempts=[Attempt(rung="heuristic", parser="intent", outcome="fired", reason="at 63")],
    )  # fmt: skip


HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07 \x00 \u202egnp.exe\u2066 \u200b[bold]markup[/bold] [link=x] \ud800 \x9b2J\u2028end"
)


def hostile() -> ParseResult:
    """Everything a model can write into every place of an answer."""
    text = f"{HOSTILE}\n<tool_call>{HOSTILE}</tool_call>"
    start = text.index("<tool_call>")
    repair = Repair(
        code="raw-control-in-string", layer="syntax", confidence="guess", call=0, span=(start + 12, start + 15),
        before=HOSTILE, after=HOSTILE, message=HOSTILE,
    )  # fmt: skip
    finding = Finding(code="unknown-tool", severity="error", message=HOSTILE, evidence=HOSTILE, fix=HOSTILE)
    problem = Problem(code="wrong-type", pointer=f"/{HOSTILE}", message=HOSTILE, hint=HOSTILE, received=HOSTILE)
    call = ToolCall(
        name=HOSTILE, arguments={HOSTILE: HOSTILE}, id=HOSTILE, server=HOSTILE, rung="markup", parser="hermes",
        span=(start, len(text)), valid=False, problems=(problem,), repairs=(0,), raw=HOSTILE,
    )  # fmt: skip
    lost = Rejected(
        name=None, arguments={}, id="call_1", rung="native", parser=HOSTILE, reason="malformed", raw=HOSTILE
    )
    segments = [
        Segment(kind="text", pointer="", span=(0, start)),
        Segment(kind="markup", pointer="", span=(start, len(text))),
    ]
    return ParseResult(
        source=HOSTILE, shape="text", model=HOSTILE, finish_reason=HOSTILE, content=HOSTILE, reasoning=HOSTILE,
        calls=[call], rejected=[lost], repairs=[repair], texts={"": text}, segments=segments,
        server_calls=[ServerCall(name=HOSTILE, arguments={HOSTILE: HOSTILE}, id=HOSTILE)],
        attempts=[Attempt(rung="markup", parser=HOSTILE, outcome="fired", reason=HOSTILE, calls=1)],
        facts=WireFacts(error=HOSTILE, status=HOSTILE), findings=[finding],
        kept_notes=[Note(code="lone-surrogate", message=HOSTILE, pointer=f"/{HOSTILE}")],
    )  # fmt: skip


def server_error() -> ParseResult:
    return ParseResult(
        shape="error",
        facts=WireFacts(error="auto tool choice requires --enable-auto-tool-choice and --tool-call-parser", status=400),
    )


def run_by_provider() -> ParseResult:
    ran = ServerCall(name="web_search", arguments={"query": "utp"}, id="srv_1")
    return ParseResult(shape="anthropic", finish_reason="end_turn", content="Found it.", server_calls=[ran])
