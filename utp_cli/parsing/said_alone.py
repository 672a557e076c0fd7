"""What a gateway, a shell, a client or a reader of JSON says, alone in a text: something failed, no model answered."""

from __future__ import annotations

from typing import Final

from utp_cli.parsing.forms import Doubt
from utp_cli.protocol.patterns import regex
from utp_cli.wire.account import is_account_sentence

_STATUS: Final = (
    r"bad request|unauthorized|payment required|forbidden|(?:page )?not found|method not allowed|request timeout"
    r"|(?:payload|content) too large|unprocessable (?:entity|content)|too many requests|failed dependency"
    r"|internal server error|bad gateway|service unavailable|gateway time-?out|(?:model is )?overloaded"
    r"|provider returned error"
)
_NETWORK: Final = (
    r"no healthy upstream|stream timeout|upstream request timeout|upstream connect error[^\n]{1,200}"
    r"|curl: \(\d{1,2}\) [^\n]{1,200}|connection (?:refused|error|closed|reset(?: by peer)?)|network error|fetch failed"
    r"|failed to fetch|load failed|socket hang up|premature close|request (?:timed out|(?:was )?aborted)"
    r"|(?:(?:connect|read|write) )?E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|NOTFOUND)\b[^\n]{0,200}"
    r"|getaddrinfo [A-Z_]{3,12} [^\n]{1,200}"
)
_SHELL: Final = (
    r"(?:killed|terminated|aborted)(?: \(core dumped\))?"
    r"|\[\d{1,3}\] ?[+-]? {0,3}(?:\d{1,9} )?(?:killed|terminated|aborted) [^\n]{1,200}"
    r"|(?:\w{1,8}: )?command not found: \S{1,80}"
    r"|[\w/.-]{2,40}: (?:(?:line )?\d{1,5}: )?\S{1,80}: (?:command )?not found"
)
_SIGN_IN: Final = (
    r"<(?:!doctype html|html)\b[^<>]{0,200}>\s*(?:<[^<>]{1,200}>\s*){0,40}?<(?:title|h1|body)\b[^<>]{0,200}>"
    r"[^<]{0,60}?(?:(?:sign|log) in to |please (?:sign|log) in)"
)
_GATEWAY: Final = regex(
    r"(?i:\W{0,3}(?:<\w{1,6}>)?(?:(?:HTTP(?:/\d(?:\.\d)?)? )?[45]\d\d:? )?"
    rf"(?:{_STATUS}|{_NETWORK}|{_SHELL})(?:</\w{{1,6}}>)?\W{{0,3}})\Z|(?i:\s*{_SIGN_IN})"
)
_REFUSED: Final = regex(
    r"(?i:\W{0,3}(?:(?:HTTP(?:/\d(?:\.\d)?)? )?[45]\d\d:? )?"
    r"(?:bad request|unprocessable (?:entity|content)|provider returned error)\W{0,3})\Z"
)
"""Of these, what says that a request was refused, and not why."""
_JSON_READER: Final = regex(
    r"(?i:\W{0,3}(?:\w{0,20}Error: )?(?:"
    # V8, SpiderMonkey and JavaScriptCore
    r"JSON(?:\.parse| Parse error): |unexpected (?:end of (?:JSON )?input|token [^\n]{1,12},? [\"'])"
    r"|(?:unexpected|expected|unterminated|bad|no number|exponent)\b[^\n]{1,80}? in JSON\b"
    # Go's encoding/json, and Rust's serde_json
    r"|invalid character .{1,8} (?:looking for|after|in|at)\b"
    r"|(?:expected|trailing|EOF while|key must|invalid|control character|recursion limit|lone)\b[^\n]{1,80}? at line \d"
    r")[^\n]{0,200}\s*)\Z"
)

_FAILED: Final = regex(
    r"(?i:\W{0,3}(?![^\n]{0,100}\b(?:I|you|your|my|we|our|us|please|sorry|let)\b)(?:"
    r"(?:an? )?(?:unknown |internal |unexpected )?errors? (?:has )?occurred|(?:oops\W{1,3})?something went wrong"
    r"|(?:invalid|unexpected|malformed|unsupported|empty|no such)(?::? [\w.'\"`/-]{1,40}){1,3}"
    r"|(?:failed to|could not|cannot|can't|unable to) (?:[\w:'\"`/-]|[ .](?!\s)){1,80}"
    r"|(?:[\w'\"`-]{1,40} ){1,8}(?:failed|not found|exceeded|went wrong|not supported|timed out|reached"
    r"|was cut off|is (?:not )?(?:valid|invalid|missing|required|supported|found))"
    r")[.!]?\s*)\Z"
)
"""A short line that says that something failed, and in which nobody speaks to anybody."""

_COMPLAINT: Final = regex(
    r"(?![^\n]{0,400}[.?!,] [A-Z])(?!\s*\.)"
    r"(?!\W{0,3}[\w.]{1,40}[\"']?[:=] ?(?:null|None|[Ff]alse|0|\"\"|''|\[\])[\s,}])(?i:\W{0,3}"
    r"(?![^\n]{0,400}(?:\b(?:I|you|your|my|we|our|us|please|sorry|let)\b|[我你您请]))"
    r"(?:[a-z_.]{0,40}(?:error|exception)(?! (?:handling|messages?|codes?|rates?|types?|classes)\b)"
    r"|[\w ]{0,20}(?:报错|错误(?:信息)?|异常)(?=[:：])"
    r"|invalid|incompatible|unsupported|unexpected|malformed|mismatched"
    r"|failed to|unable to|could not|couldn't|cannot|can't)\b"
    r"(?=[^\n]{0,400}?(?:[:：=<>{}\[\]_]|['\"`][\w.-]))[^\n]{3,400}(?:\n[^\n]{1,200}){0,3}\s*)\Z"
)
"""One sentence of complaint with signs of a program in it: a colon, quotes, brackets."""

_NOTHING: Final = regex(r"\s*+(?>(?::[^\n]*+|event: ?\w{1,40}|data: ?(?:\[DONE\]|\{\s*+\}))\s*+){1,200}\Z")
"""A stream of which only the frame came."""
_HALF_EVENT: Final = regex(r"\s*(?:event: ?[\w.]{1,60}\s{1,3})?data: ?[{\[][^\n]{0,4000}\s*\Z")
"""One event of a stream, of which no reader makes JSON."""
_EMPTY: Final = regex(r"\s*(?:\{\s*\}|\[\s*\]|null|undefined|None|nil|\"\"|''|\[object Object\])\s*\Z")
"""An empty value, as a program prints it."""
_NO_CHOICE: Final = regex(r"\s*\{[^{}\[\]]{0,400}\"(?:choices|candidates)\"\s*:\s*(?:\[\s*\]|null)")
"""A body whose list of answers is empty."""
_REFUSAL: Final = regex(
    r"\s*\{\s*\"(?:errors\"\s*:\s*\[(?!\s*\])|(?:success|ok)\"\s*:\s*false\b"
    r"|message\"\s*:\s*\"[^\"\n]{0,80}(?i:forbidden|unauthori[sz]ed|not found|denied|limit|timed? ?out|unavailable"
    r"|too many|invalid|error)[^\"\n]{0,80}\"\s*\}\s*\Z)"
)
"""How a gateway says no in JSON."""
_SERVERS_LOG: Final = "the log of the server behind it, or the same request sent to it: curl -i $URL"


def nothing_alone(text: str) -> Doubt | None:
    """Say what a text is in which nothing came: an empty value, the frame of an answer; None for any other."""
    if _EMPTY.match(text):
        return Doubt(f"no answer: an empty value, {text.strip()}, and nothing beside it", _SERVERS_LOG)
    if _NOTHING.match(text) or _NO_CHOICE.match(text):
        return Doubt("no answer: its frame is there, and nothing in it", _SERVERS_LOG)
    if _HALF_EVENT.match(text):
        return Doubt("a part of one event of a stream, and no answer", "the whole stream: curl -sN", "stream-cut-off")
    return None


def said_alone(text: str) -> Doubt | None:
    """Say what a text is that a program wrote when it failed; None for any other.

    Sources: the messages of V8, SpiderMonkey, JavaScriptCore, Go's encoding/json and serde_json, of undici and Node's
    sockets, and the phrases of RFC 9110 (November 2026).
    """
    if _REFUSAL.match(text):
        return Doubt("no answer: a gateway says that something failed", _SERVERS_LOG)
    if _GATEWAY.match(text):
        return Doubt(
            "no answer: a gateway, a client or a shell says that something failed",
            _SERVERS_LOG,
            "gateway-error-opaque" if _REFUSED.match(text) else "",
        )
    if _JSON_READER.match(text):
        read = "no answer: a reader of JSON says that its text is none"
        return Doubt(read, "the text that it read: utp parse", "arguments-invalid-json", failed=True)
    if is_account_sentence(text):
        return Doubt("these are the words of a provider, and not of a model", "")
    if _FAILED.match(text) or _COMPLAINT.match(text):
        said = "these are the words of an error rather than of a model"
        return Doubt(said, "what stands around it: paste the whole log", failed=True)
    return None
