"""Arguments of a native call as they arrive: how much of them is sound beyond doubt, so that it need not wait.

Sound is strict JSON of an object whose members are known to the tool, each once, and of the type that its schema asks
for. Texts run, character by character; numbers and literals count once they have ended. Lists, objects, members with
more of a schema than a type, and all that comes behind such, wait for the end of the call. So does the last brace.

What is broken after all, behind what has passed, is mended by what is appended: `rest_of`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps

if TYPE_CHECKING:
    from utp_cli.protocol.tools import Tool

_PLAIN: Final = frozenset(
    {"type", "title", "description", "default", "examples", "minimum", "maximum", "minLength", "maxLength"}
)
"""Keywords of a member's schema that ask for no more than a type, as far as a repair goes."""
_WHOLE: Final = frozenset({"type", "title", "description", "properties", "required", "additionalProperties", "$schema"})
"""The same, for the schema of all arguments."""
_LITERALS: Final = {
    "integer": re.compile(r"-?(?:0|[1-9]\d{0,14})"),
    "number": re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?"),
    "boolean": re.compile(r"true|false"),
}
_TOKEN: Final = re.compile(
    r'[ \t\r\n]+|[{:,}]|"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|[-\w.]+(?=[ \t\r\n,}])'
)
_IN_TEXT: Final = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_LONGEST: Final = 200
"""Characters of a token that has not ended; a text that is a value may be longer."""
_ESCAPE: Final = 6
"""Characters of an escape."""


class SoundArguments:
    """Reads the arguments of one call in pieces."""

    def __init__(self, tool: Tool | None) -> None:
        """`tool`: None where none is known, so that any member may come."""
        schema = tool.parameters if tool else {}
        self.sound = not schema or (schema.keys() <= _WHOLE and schema.get("type") == "object")
        self.passed = ""
        """What may have gone on to the client."""
        self.begun = False
        """The beginning of the call has."""
        self._members: dict[str, Any] | None = schema.get("properties", {}) if schema else None
        self._keys: set[str] = set()
        self._due = "{"
        """What comes next: a brace, a key, a colon, a value, or the comma behind one."""
        self._key = ""
        self._read, self._rest = "", ""
        """What has come; what of it has not been understood."""
        self._in_text = False
        """The value under way is a text, which runs."""

    def take(self, text: str) -> bool:
        """Take the next piece; return whether all that has come may pass."""
        self._read += text
        self._rest += text
        while self.sound and self._rest and self._step():
            pass
        half = self._rest if self._due == "value" else self._due == "key" and self._keys and not self._rest
        # A number may go on, an escape has to; behind a comma no member may come.
        if not self.sound or half:
            return False
        self.begun, self.passed = True, self._read
        return True

    def _step(self) -> bool:
        """Read one token; False where more has to come."""
        if self._in_text:
            run = _IN_TEXT.match(self._rest)
            self._rest = self._rest[run.end() if run else 0 :]
            if not self._rest.startswith('"'):
                self.sound = len(self._rest) < _ESCAPE and self._rest[:1] in ("", "\\")
                return False
            self._rest, self._in_text, self._due = self._rest[1:], False, ","
            return True
        token = _TOKEN.match(self._rest)
        if token is None:
            return self._begun()
        self._rest = self._rest[token.end() :]
        if not token[0].isspace():
            self._expect(token[0])
        return True

    def _begun(self) -> bool:
        """Look at a token that has not ended: a text that is a value runs, a key has to be a known one's beginning."""
        text = self._rest[0] == '"'
        if text and self._due == "value" and self._type() in ("", "string"):
            self._rest, self._in_text = self._rest[1:], True
            return True
        known = self._members is None or any(name.startswith(self._rest[1:]) for name in self._members)
        self.sound = len(self._rest) < _LONGEST and (
            known if text and self._due == "key" else self._due == "value" and not text and self._rest[0] not in "[{"
        )
        return False

    def _type(self) -> str | None:
        """The type of the member under way; empty: any; None: it asks for more than a type."""
        if self._members is None:
            return ""
        schema = self._members.get(self._key)
        if not isinstance(schema, dict) or not schema.keys() <= _PLAIN or not isinstance(schema.get("type"), str):
            return None
        return str(schema["type"])

    def _expect(self, token: str) -> None:
        """Go on with a token, if it is what comes next."""
        if self._due == "key" and token[0] == '"':
            self._key = json.loads(token)
            known = self._members is None or self._key in self._members
            self.sound = known and self._key not in self._keys
            self._keys.add(self._key)
            self._due = ":"
        elif self._due == "value":
            kind = self._type()
            if token[0] == '"':
                self.sound = kind in ("", "string")
            else:
                fits = _LITERALS if kind == "" else (kind,)
                self.sound = any(one in _LITERALS and _LITERALS[one].fullmatch(token) for one in fits)
            self._due = ","
        elif token == self._due:
            self._due = {"{": "key", ":": "value", ",": "key"}[token]
        else:
            self.sound = False  # the last brace too: it waits for the end


_STAGES: Final = (("}", "member"), ('"}', "text"), ('":0}', "key"), (":0}", "colon"), ("0}", "value"))
"""What would end an object that breaks off, and where it does then."""


def rest_of(passed: str, arguments: Any) -> str | None:
    """Return what makes `arguments` of what has passed; None where nothing does.

    `arguments`: an object, or the JSON text of one.
    """
    if isinstance(arguments, str):
        return arguments[len(passed) :] if arguments.startswith(passed) else None
    if not isinstance(arguments, dict):
        return None
    if not passed.strip():
        return dumps(arguments)
    plain = passed.rstrip()
    for closers, stage in _STAGES:
        try:
            begun = json.loads((plain.removesuffix(",") if stage == "member" else passed) + closers)
        except ValueError:
            continue
        return _appended(begun, arguments, stage, comma=plain.endswith((",", "{")))
    return None


def _appended(begun: dict[str, Any], arguments: dict[str, Any], stage: str, *, comma: bool) -> str | None:
    """Write the members that are missing, and the rest of the one under way. `comma`: none is due."""
    last = None if stage == "member" else [*begun][-1]
    whole = [name for name in begun if name != last]
    given = [*arguments.items()]
    if any(name not in arguments or dumps(begun[name]) != dumps(arguments[name]) for name in whole):
        return None
    if [name for name, _ in given[: len(whole)]] != whole:
        return None
    more = given[len(whole) :]
    if last is None:
        return (("" if comma else ", ") + dumps(dict(more))[1:]) if more else None if comma and whole else "}"
    if not more:
        return None
    (name, value), behind = more[0], dict(more[1:])
    if stage == "text" and not (isinstance(value, str) and value.startswith(begun[last])):
        return None
    if not name.startswith(last) or (stage != "key" and name != last):
        return None
    out = {
        "text": lambda: dumps(value[len(begun[last]) :])[1:],
        "key": lambda: dumps(name[len(last) :])[1:] + ": " + dumps(value),
        "colon": lambda: ": " + dumps(value),
        "value": lambda: dumps(value),
    }[stage]()
    return out + (", " + dumps(behind)[1:] if behind else "}")
