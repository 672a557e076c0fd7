"""What the tool parsers for vLLM and SGLang share: text as the server decodes it → content and calls. Knows no engine.

Text that can be no call comes back at once; an opening that may be one waits; calls come when the answer is over, for
only what stands behind a call tells whether it was made or shown. The text is read once, as it arrives.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.healer.answer import ChoiceState
from utp_cli.healer.chat import FORM, MISTRAL
from utp_cli.healer.exchange import wants_nine_letters
from utp_cli.healer.verdict import decide
from utp_cli.parsing.parser import known_tools
from utp_cli.protocol.numbers import dumps
from utp_cli.wire.catalogue import decoder_of
from utp_cli.wire.decoder import Scope
from utp_cli.wire.spec import TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.healer.verdict import HealVerdict
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.spans import Span

PARSERS: Final = {"utp": "auto", **{f"utp_{dialect.name}": dialect.name for dialect in DIALECTS}}
"""The names for `--tool-call-parser` → the dialect that is expected; `auto`: the text decides."""
_POINTER: Final = "/choices/0/message/content"
_SPECIAL: Final = re.compile(r"<\||\|>")
_log = logging.getLogger(__name__)


def _special_tokens(result: ParseResult, verdict: HealVerdict) -> list[Span]:
    """Special tokens around the content: only for a tool parser the server leaves them in.

    They stay where a call stays in the text, and where thinking does.
    """
    if result.reasoning or result.rejected or len(result.calls) > len(verdict.fresh):
        return []
    marked = [segment for segment in result.segments if segment.kind == "markup"]
    return [one.span for one in marked if _SPECIAL.search(result.texts[one.pointer][slice(*one.span)])]


class ServedCall(NamedTuple):
    """A call as the client gets it."""

    name: str
    arguments: str
    """JSON text of an object."""
    id: str


class ServedAnswer:
    """One answer of a model that is offered tools. It never raises: what goes wrong leaves the text as it is.

    `tools`: their definitions, in any provider's form. `parser`: a dialect's name or `auto`. `model`: its id, which
    says what to expect. `json`: the answer was asked for in JSON, so that JSON is no call.
    """

    def __init__(
        self, tools: Iterable[Any], *, parser: str = "auto", model: str | None = None, json: bool = False
    ) -> None:
        self._form = MISTRAL if parser == "mistral" or wants_nine_letters(model) else FORM
        options = {"model": model, "parser": parser, "min_confidence": "likely"}
        decoder = decoder_of("openai-chat", Scope(stream=True))
        self._answer = ChoiceState.of(decoder, known_tools(tools), options, stream=True)
        self._answer.json = json
        self._pieces: list[str] = []
        """What was fed and has not been returned."""
        self._sent = 0
        """Characters that have been returned."""
        self._broken = False

    def feed(self, text: str) -> str:
        """Take the next piece; return the content that is certain."""
        if self._broken or not text:
            return text
        self._pieces.append(text)
        try:
            ((text_field, _, _),) = self._answer.hear([TextPiece(pointer=_POINTER, text=text)])
        except Exception:  # noqa: BLE001 - whatever goes wrong inside, the answer passes
            return self._let_go()
        if text_field.certain <= self._sent:
            return ""
        held = "".join(self._pieces)
        # Blanks wait for what follows them: before a call they leave the content with it.
        out = held[: text_field.certain - self._sent].rstrip()
        self._pieces = [held[len(out) :]]
        self._sent += len(out)
        return out

    def close(self) -> tuple[str, list[ServedCall]]:
        """The answer is over; return the rest of the content, and the calls."""
        held = "".join(self._pieces)
        if self._broken or not held:
            return "", []
        try:
            result = self._answer.close(None)
            self._answer.text_fields[_POINTER].certain = self._sent
            verdict = decide(self._answer, self._form, uuid4().hex)
            verdict.cuts[_POINTER] = sorted([*verdict.cuts.get(_POINTER, ()), *_special_tokens(result, verdict)])
            calls = [ServedCall(call.name, dumps(call.arguments), call.id) for call in verdict.fresh]
            content = verdict.kept(_POINTER, self._sent, held)
        except Exception:  # noqa: BLE001 - whatever goes wrong inside, the answer passes
            return self._let_go(), []
        for heal in verdict.heals:
            _log.info("%s", heal.message)
        self._pieces.clear()
        return content, calls

    def _let_go(self) -> str:
        _log.exception("the answer passes as it is")
        self._broken = True
        return "".join(self._pieces)
