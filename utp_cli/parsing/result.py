"""A result of the whole road: beside what was read, what is known of who asked and who served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.parsing.answered import ANNOUNCED, TRUNCATED, hints, no_answer, what_is_missing
from utp_cli.parsing.captured import ABSENT, UNFINISHED, conversation_of
from utp_cli.parsing.lost_beside import lost_finding
from utp_cli.parsing.odd_answers import odd_calls
from utp_cli.protocol.calls import Note, ParseResult
from utp_cli.protocol.numbers import dumps, loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field, kept, replace
from utp_cli.wire.access import dict_of, dicts_of, dig, list_of

if TYPE_CHECKING:
    from utp_cli.diagnosis.subject import Answer
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.tools import Tool


def known_of(server: Any) -> dict[str, Any]:
    """Return what is known of a server as words; a release may be a number in a file, and other values say nothing."""
    told = server.items() if isinstance(server, Mapping) else ()
    plain = ((key, value) for key, value in told if isinstance(value, str | bool | int | float))
    return {key: value if isinstance(value, str | bool) else str(value) for key, value in plain}


class Circumstances(Record):
    """What the caller knows beside the answer; diagnoses are made from both."""

    tools: dict[str, Tool] | None = None
    """By name; None where nobody said."""
    model: str | None = None
    provider: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    server: dict[str, Any] = field(default_factory=dict)
    asked_in_text: bool = False
    """Calls were asked for as text: they stand there on purpose."""


_IGNORED = frozenset({"tools-with-structured-output", "constraint-field-ignored"})
"""What a server answers, and not as the request asks: an answer without calls comes of it."""
_CALL = regex(
    r"\s*(?:```\w*\s*)?\[?\s*\{\s*\"name\"\s*:\s*\"([A-Za-z][\w.:/-]{0,80})\"\s*,\s*\"arguments\"\s*:\s*[\"{]"
)
"""How a text begins that is the JSON of a call."""
_MOST_ERRORS = 5
"""Errors beside the one that matters that are looked at."""
_SAME = {"history-arguments-invalid": "arguments-not-object"}
"""What is not said of a conversation where the same was said of its last message."""
_CHAT = "openai-chat"
_NO_JSON = "constraint-unavailable"
_OPAQUE = "gateway-error-opaque"
_SERVED = regex(r"-parser[ =]|parser\b[^\n]{0,20}[`'\"]|--chat-template")
"""How a text tells of the options of a server: a parser, a template."""
_OPEN = frozenset({"schema-property-untyped", "schema-array-without-items"})
"""What leaves a schema open, and stops a request of few providers only."""
_SHOWN = frozenset({"leaked-special-tokens", "call-left-in-content"})
"""What a text beside a command shows of calls that were not read."""
_LOST = frozenset(
    {"server-rejects-own-output", "arguments-invalid-json", "calls-lost", "streaming-parser-loss", "call-name-empty"}
)
"""What becomes of calls that a parser for other models reads; in a server's log, names are unknown too."""


def _unknown(finish_reason: str | None) -> frozenset[str]:
    """Return what cannot be said of a paste that was cut off, or that hides values."""
    hidden = ABSENT | {"call-name-empty", "call-id-missing"}
    return hidden | (set() if finish_reason else {"truncation-hidden"})


class Parsed(ParseResult):
    """A `ParseResult` that works out its diagnoses when they are first asked for."""

    circumstances: Circumstances = field(default_factory=Circumstances, repr=False)
    lost: bool = False
    """The calls are those of a raw text, and the answer that stands beside it has none of them."""

    def to_dict(self) -> dict[str, Any]:
        """Write the JSON document `utp.parse/1`; a note says why there is no answer, where there is none."""
        document = super().to_dict()
        if not self.calls and (said := no_answer(self)):
            message = "; next: ".join(filter(None, [said, what_is_missing(self)]))
            document["notes"].append(Note(code="no-answer", message=message).to_dict())
        return document

    @kept
    def diagnoses(self) -> list[Finding]:
        error = (self.named and self.facts.error) or ""
        if self.captures and self.captures[self.chosen].kind == "tools" and not self.calls:
            return [*self.named, *self._tools_alone()]
        wrong = self._quoted_command() if self.shape == "text" and _SERVED.search(self.content) else []
        odd = odd_calls(self) if self.calls and not self.named else ""
        code, words = (odd, "") if self.calls or self.named else self._hinted()
        if not (error or code or words):
            return [*wrong, *self.named, *(self._wrong_parser() if self.circumstances.server else ())]
        from utp_cli.diagnosis.guessed import further_causes, guesses, weighed  # noqa: PLC0415 - loads the error texts, for failures only

        engine = self.circumstances.server.get("engine") or self.facts.flavour
        if error:
            found = weighed(self.named, error, engine)
            return [*found, *further_causes(found, error, self._other_errors(), engine), *self._wrong_parser()]
        guessed = guesses(code, "" if wrong else words, engine, self._answer())
        return wrong + [one for one in guessed if one.code not in {found.code for found in wrong}]

    def _hinted(self) -> tuple[str, str]:
        """Return what hints at a cause where nothing is named: by itself, and by what is known beside it."""
        code, words = hints(self)
        code = code or self._named_alone()
        unfounded = code in (ANNOUNCED, "tools-dropped-from-prompt") or (code == TRUNCATED and not self.rejected)
        code = "" if unfounded and self._has_no_tools() else code
        return code or ("" if words else _NO_JSON if self._is_no_json() else self._fits_no_schema()), words

    def _tools_alone(self) -> list[Finding]:
        """Return, as hints, what is wrong with tools that stand in place of an answer."""
        one = self.captures[self.chosen]
        document = self.facts.document if one.document is None else one.document
        inner = dict_of(document).get("result")
        document = inner if isinstance(inner, dict) and "tools" in inner else document  # as MCP puts it
        tools = document if isinstance(document, list) else [document]
        return self._looked_at(tools)

    def _other_errors(self) -> list[str]:
        """Return the words of the other errors of a paste."""
        others = [one.document for at, one in enumerate(self.captures) if one.kind == "error" and at != self.chosen]
        return [one if isinstance(one, str) else dumps(one) for one in others[:_MOST_ERRORS]]

    def _wrong_parser(self) -> list[Finding]:
        """Return what is wrong with the server's tool parser, where calls are lost as a wrong one loses them."""
        server, model = self.circumstances.server, self.circumstances.model or self.model
        lost = _LOST | ({"unknown-tool"} if self.facts.error else set())
        if not (server.get("tool_call_parser") and model) or lost.isdisjoint(found.code for found in self.named):
            return []
        from utp_cli.parsing.command_told import wrong_parser  # noqa: PLC0415 - only who tells of a parser pays

        told = {found.code for found in self.named}
        engine, parser = str(server.get("engine")), str(server["tool_call_parser"])
        faults = wrong_parser(engine, model, parser, server.get("version"))
        return [found for found in faults if found.code not in told]

    def _quoted_command(self) -> list[Finding]:
        """Return what is wrong with the parser, or the template, of a command that a plain text quotes.

        What was read in it beside is what came of it.
        """
        if any(found.code not in _SHOWN and not found.code.startswith("template-") for found in self.named):
            return []
        from utp_cli.parsing.command_told import faults_told  # noqa: PLC0415 - only who quotes a command pays

        known = self.circumstances
        engine = known.server.get("engine")
        return faults_told(
            self.content, model=known.model or self.model, engine=engine if isinstance(engine, str) else None
        )

    def _answer(self) -> Answer:
        """Return the subject of the diagnoses: what was read, and what is known beside it."""
        from utp_cli.diagnosis.subject import Answer  # noqa: PLC0415 - only who asks for diagnoses pays

        known = {**vars(self.circumstances), "model": self.circumstances.model or self.model}
        if self.facts.error and not known["request"]:
            known["request"] = self._request_beside()
        return Answer(result=self, **known)

    def _request_beside(self) -> dict[str, Any]:
        """Return the request that stands beside an error in a paste; `{}` where none does."""
        requests = (one.document for one in self.captures if one.kind == "request")
        return next((document for document in requests if isinstance(document, dict)), {})

    @kept
    def named(self) -> list[Finding]:
        from utp_cli.diagnosis.run import diagnose_answer  # noqa: PLC0415 - only who asks for diagnoses pays

        blocks = "{%" in self.content or "{{" in self.content
        if ((self.shape == "text" and blocks) or self.shape == "unknown") and (of_template := self._of_template()):
            return of_template
        found = diagnose_answer(self._answer())
        if self.shape == "mcp" and not self.facts.error:
            from utp_cli.diagnosis.mcp_messages import diagnose_mcp  # noqa: PLC0415 - as above

            wrong = [*diagnose_mcp(self.facts.document)]
            codes = {one.code for one in wrong}
            found = [*(one for one in found if one.code not in codes), *wrong]
        if self.lost:
            found = [lost_finding(self.calls, self._answer()), *(one for one in found if one.code not in _SHOWN)]
        cut = bool(self.captures) and self.captures[self.chosen].cut
        if (self.facts.lone or cut) and not self.facts.error:
            left_out = UNFINISHED if self.facts.lone else _unknown(self.finish_reason)
            if self.facts.lone and any(finding.code == "arguments-invalid-json" for finding in found):
                left_out |= {"call-name-empty"}  # where the arguments begin, the name may
            found = [finding for finding in found if finding.code not in left_out]
        asked = sent = conversation_of(self)
        if asked is None and self.facts.error and all(finding.code == _OPAQUE for finding in found):
            asked = self._refused()  # what was refused tells, where the refusal does not
        ignored = asked is None and bool(self.circumstances.server) and self._is_free_of_calls()
        unanswered = asked is None and not found and self._is_empty()  # what was sent may tell why
        asked = dict(self.circumstances.request) if ignored or unanswered else asked
        if not asked:
            return found
        from utp_cli.diagnosis.histories.sessions import diagnose_conversation  # noqa: PLC0415 - as above
        from utp_cli.parsing.diagnose import left_in_text  # noqa: PLC0415 - it parses

        known = {**vars(self.circumstances), "model": self.circumstances.model or self.model}
        form = "" if self.shape == _CHAT else self.shape  # its last message may look so, and the others say more
        more = diagnose_conversation(asked, form, **known)
        more += left_in_text({**{key: value for key, value in known.items() if value}, **asked})
        told = {finding.code for finding in found}
        more = [finding for finding in more if unanswered or not ignored or finding.code in _IGNORED]
        more = [finding for finding in more if finding.code not in told and _SAME.get(finding.code) not in told]
        beside = self._tools_sent(sent, [*found, *more]) if sent else self._tools_beside(asked)
        return [*found, *more, *beside, *self._unread_body()]

    def _of_template(self) -> list[Finding]:
        """Return what is wrong with a chat template that is most of a text, or stands in a tokenizer_config.json."""
        written = dict_of(self.facts.document).get("chat_template") if self.shape == "unknown" else None
        alone = self.shape == "text" and not (self.calls or self.rejected)  # else a call may write one
        text = self.texts.get("", self.content) if alone else ""
        if not (text or written):
            return []
        from utp_cli.diagnosis.run import diagnose_template  # noqa: PLC0415 - only who pastes a template pays
        from utp_cli.diagnosis.template_checks import chosen_template  # noqa: PLC0415 - as above
        from utp_cli.parsing.pasted_template import pasted_template  # noqa: PLC0415 - as above

        template = chosen_template(written) if written else pasted_template(text)
        if not template:
            return []
        known = self.circumstances
        return diagnose_template(template, model=known.model or self.model, server=known.server, hints=True)

    def _tools_beside(self, asked: Mapping[str, Any]) -> list[Finding]:
        """Return, as hints, what is wrong with tools alone that stand beside an error which says nothing."""
        if not self.facts.error or asked.keys() != {"tools"}:
            return []
        return self._looked_at(asked["tools"])

    def _tools_sent(self, asked: Mapping[str, Any], found: list[Finding]) -> list[Finding]:
        """Return, as hints, what is wrong with the tools of a request in which nothing is sure."""
        if not isinstance(asked.get("tools"), list) or any(one.severity != "info" for one in found):
            return []
        from utp_cli.parsing.audited import audited  # noqa: PLC0415 - only for tools

        known = self.circumstances
        who, told = known.provider or known.server.get("engine"), {*_OPEN, *(one.code for one in found)}
        return audited(asked["tools"], who, told, "/tools")

    def _unread_body(self) -> list[Finding]:
        """Return, as a hint, that the body of a request is no JSON, though its keys stand in double quotes."""
        one = self.captures[self.chosen] if self.captures else None
        if one is None or one.kind != "request" or one.form != "json-with-faults":
            return []
        from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - as above
        from utp_cli.diagnosis.observation import finding_of  # noqa: PLC0415 - as above

        said = "the body of the request is no JSON: a comma too many (behind the last member), or a word of Python"
        return [finding_of(DIAGNOSES["request-not-json"], said, "", severity="info", confidence="low")]

    def _looked_at(self, tools: Any) -> list[Finding]:
        """Return, as hints, what is wrong with tool definitions."""
        from utp_cli.parsing.audited import diagnose_definitions  # noqa: PLC0415 - only for tools

        known = {key: getattr(self.circumstances, key) for key in ("provider", "model", "server")}
        found = diagnose_definitions({"tools": tools, **known})
        return [replace(each, severity="info", confidence="low") for each in found]

    def _is_empty(self) -> bool:
        """Whether a whole answer came, and nothing in it."""
        empty = not (self.content or self.reasoning or self.calls or self.rejected or self.facts.error)
        return empty and self._is_whole and self.shape not in ("text", "unknown")

    def _is_free_of_calls(self) -> bool:
        """Whether neither the answer nor the conversation before it has a call."""
        turns = dicts_of(self.circumstances.request.get("messages"))
        return not (self.calls or self.facts.error or any(turn.get("role") == "tool" for _, turn in turns))

    def _named_alone(self) -> str:
        """Return the code for a text that is the JSON of a call, where tools are known and none has its name."""
        tools = self.circumstances.tools
        found = _CALL.match(self.content) if tools and self.shape == "text" and not self.calls else None
        return "unknown-tool" if found and found[1] not in (tools or ()) else ""

    def _has_no_tools(self) -> bool:
        """Whether the request is known, and asks for no tools."""
        asked = self.circumstances.request
        return bool(asked) and not (self.circumstances.tools or asked.get("tools") or asked.get("functions"))

    @property
    def _is_whole(self) -> bool:
        """Whether an answer came to a normal end, or nothing says how it ended."""
        return not self.finish_reason or meaning_of(self.finish_reason) == "stop"

    def _is_no_json(self) -> bool:
        """Whether the request asks for JSON, and a whole answer is none."""
        said = "".join(self.texts.values()).strip(" \t\r\n\ufeff")
        form = dig(self.circumstances.request, "response_format", "type")
        whole = self._is_whole and "/refusal" not in "".join(self.texts)
        asked = form in ("json_schema", "json_object") and whole and said[:1] not in ("{", "[")
        return bool(said) and asked and loads_or_none(said) is None

    def _fits_no_schema(self) -> str:
        """Return the code for a whole answer in JSON that is no object, or lacks members, as its schema asks."""
        if not self.circumstances.request or self.calls or self.circumstances.asked_in_text:
            return ""
        from utp_cli.diagnosis.choice import schema_asked  # noqa: PLC0415 - where a request is known

        _, schema = schema_asked(self.circumstances.request) or ("", {})
        value = loads_or_none("".join(self.texts.values())) if schema.get("type") == "object" else None
        if value is None or not self._is_whole:
            return ""
        required = {name for name in list_of(dict_of(schema).get("required")) if isinstance(name, str)}
        fits = isinstance(value, dict) and value.keys() >= required
        return "" if fits else "schema-weakened"

    def _refused(self) -> dict[str, Any]:
        """Return the request that an error refused: as it is known, else it, or the tools, that stand beside it."""
        if asked := self.circumstances.request or self._request_beside():
            return dict(asked)
        tools = next((one.document for one in self.captures if one.kind == "tools"), None)
        if tools is None:
            tools = [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in (self.circumstances.tools or {}).values()
            ]
        return {"tools": tools if isinstance(tools, list) else [tools]} if tools else {}
