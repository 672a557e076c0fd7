"""Where a spelling may begin, and which reader reads it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from utp_cli.captures.spellings import (
    agent_logs,
    js_forms,
    langchain_pretty,
    python_forms as python,
    text_proto,
    texts,
    unquoted,
    yaml_dump,
)
from utp_cli.captures.spellings.documents import CLASSES
from utp_cli.captures.spellings.values import DEEPEST, Fault
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from utp_cli.captures.spellings.spelling import Spelling
    from utp_cli.protocol.spans import Span

_CLASS: Final = rf"(?:[A-Za-z_]\w*\.)*(?:Beta|Parsed)?(?:{'|'.join(sorted(CLASSES, key=len, reverse=True))})\("
_JS_KEY: Final = r"(?:[A-Za-z_$][\w$]*|'[^'\n]{1,60}'): "
_JS_CLASS: Final = r"(?:<ref \*\d+> )?(?:[A-Z][\w$]* |\[Object: null prototype\] )?"


def _behind(before: str, words: Iterable[str]) -> str:
    """Match where one of the words stands in front of the last character; a look of its own for each length."""
    return "|".join(f"(?<={before}{word}.)" for word in sorted(words))


_BARE: Final = _behind("", python.BARE_KEYS.split("|"))
_FORMS: Final[tuple[tuple[str, Callable[[str, int], Spelling | None]], ...]] = (
    (rf"(?<![\w.])(?<!, ){_CLASS}", python.read_object),
    (r"(?<![\w.])(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\(['\"]", python.read_object),
    (rf"(?<!, )\[\s*{_CLASS}", python.read_literal),
    (r"(?<!, )(?:[\[(]\s*)?\{\s*'(?:[^'\"\\\n]{1,60})'\s*: ", python.read_literal),
    (
        rf"(?<![^\s])(?:{python.PRINTED_KEYS})=(?=[\['\"{{(NTF\d<]|[A-Z]\w*\()(?!(?:{_BARE}){python.PAIRS})",
        python.read_printed,
    ),
    (r"<OpenAIObject ", python.read_openai_object),
    (rf"(?<![\w.$]){_JS_CLASS}(?:\[\s+)?\{{\s+{_JS_KEY}", js_forms.read_printed),
    (r"(?<![\w.$])[A-Z][\w$]* \{\s+\"\w+\": ", js_forms.read_printed),
    (r"(?:AI_)?InvalidTool(?:Input|Arguments)Error(?: \[\w+\])?: Invalid ", js_forms.read_refused),
    (r"(?<![^\s])[\w$]*(?:Error|Exception)(?: \[[\w$]+\])?: ", js_forms.read_thrown),
    (r"\"(?:(?:data|event): ?)?[\[{]?(?:\\n|\s)*\[?\{?(?:\\[nrt]|\s)*\\\"", texts.read_quoted),
    (r"(?<!\w)b['\"](?:data: )?[\[{]", texts.read_bytes),
    (r"(?<![,:\[{] )(?<![,:\[{])\[?\{(?:\\[nrt]|\s)*\\\"\w", texts.read_escaped),
    (r"(?<![,:\[{] )(?<![,:\[{])[\[{](?:\s*[\[{])?\s*(?:&quot;|&#34;|&#x22;)\w", texts.read_entities),
    (unquoted.RECORD, unquoted.read_records),
    (r"\[?\{[A-Za-z_]\w*=", partial(unquoted.read_map, unquoted.JAVA)),
    (r"\[?map\[[A-Za-z_]", partial(unquoted.read_map, unquoted.GO_MAP)),
    (r"(?:(?:&|\[&?)\{[A-Z]\w*:|\{Role:[a-z])", partial(unquoted.read_map, unquoted.GO_STRUCT)),
    (r"^(?:candidates|parts|function_call|content|name: \"[\w.-]+\"\nargs) ?\{?\s*$", text_proto.read_message),
    (langchain_pretty.RULER, langchain_pretty.read_pretty),
    (agent_logs.PRINTED, agent_logs.read_calls),
    (r"(?:(?<=\n\n)|(?<=```yaml\n)|(?<![\s\S]))(?:- )?[a-zA-Z_]+:(?=(?: [^\n]*)?$)", yaml_dump.read_dump),
)
"""What a form begins with, and its reader; the first that reads it wins. What follows a comma began before."""
_STARTS: Final = regex(rf"(?!\s)(?:(?<!\w)|(?!\w))(?:{'|'.join(f'(?:{sign})' for sign, _ in _FORMS)})", re.MULTILINE)
"""None begins with a blank or inside a word: most places are passed over at one look."""


_SIGNS: Final = tuple(
    regex(sign)
    for sign in (
        rf"\((?<=[a-z\d]\()(?:{_behind('', CLASSES)})",
        r"(?:Error|Exception)(?:\(['\"]|(?: \[[\w$]+\])?: )",
        r"\{(?:\s*'|\s+[A-Za-z_$\"]|[A-Za-z_]\w*[=:])",
        (
            rf"=(?=[\['\"{{(NTF\d<]|[A-Z]\w*\()(?:{_behind('[^a-zA-Z_.]', python.PRINTED_KEYS.split('|'))})"
            rf"(?!(?:{_BARE}){python.PAIRS})"
        ),
        r"\\\"",
        r"&(?:quot|#34|#x22);",
        r"b['\"](?:data: )?[\[{]",
        r"map\[[A-Za-z_]",
        *unquoted.RECORD_SIGNS,
        r"<OpenAIObject ",
        r"InvalidTool",
        r"```yaml\n",
        r"\n(?:candidates|parts|function_call|content|name: \"[^\n]{1,200}\nargs) ?\{?\s*$",
        r"\n={10}",
        *agent_logs.SIGNS,
        r"\n\n(?:- )?[a-zA-Z_]+:",
    )
)
"""What stands in every spelling, near its beginning, and in few other lines. `re` skips to what each begins with."""
_CHUNK: Final = 1 << 16
"""Characters that are searched at a time."""
_LEAD: Final = 400
"""Characters that may lead to a sign."""
_TOO_DEEP: Final = regex(rf"(?:[^\[\](){{}}]{{0,60}}[\[({{]){{{DEEPEST + 1}}}")
"""Brackets that open and open: so that what no reader can read costs each start little."""
_READERS: Final = tuple((regex(sign, re.MULTILINE), reader) for sign, reader in _FORMS)


def starts(text: str) -> Iterator[int]:
    """Give the positions (characters) at which a spelling may begin, in order. Linear, and lazy."""
    return (match.start() for window in _windows(text) for match in _STARTS.finditer(text, *window))


def _windows(text: str) -> Iterator[Span]:
    """Give the stretches in which a spelling may begin, in order and apart."""
    begin, end = 0, min(line_end(text, 0), _LEAD)
    for first, last in _signed(text):
        if first > end:
            yield begin, end
            begin = first
        end = max(end, last)
    yield begin, end


def _signed(text: str) -> Iterator[Span]:
    """Give the lines that have a sign of a spelling, each with the brackets that lead to it."""
    for chunk in range(0, len(text), _CHUNK):
        lines: set[Span] = set()
        for sign in _SIGNS:
            found = sign.search(text, chunk, chunk + _CHUNK + _LEAD)
            while found:
                floor = max(found.start() - _LEAD, 0)
                led = floor + len(text[floor : found.start()].rstrip(" \t\r\n[({"))
                line = text.rfind("\n", floor, led)
                end = line_end(text, found.end())
                while text[end - 1] in "{[(" and end < len(text):
                    end = line_end(text, end + 1)
                lines.add((line + 1 if line >= 0 else floor, end))
                found = sign.search(text, end, chunk + _CHUNK + _LEAD)
        yield from sorted(lines)


def read_spelling(text: str, start: int = 0) -> Spelling | None:
    """Read the one document that begins at `start` (characters); None where none does. Never raises."""
    if _TOO_DEEP.match(text, start):
        return None
    for sign, reader in _READERS:
        if sign.match(text, start):
            try:
                found = reader(text, start)
            except Fault:
                continue
            if found is not None:
                return found
    return None
