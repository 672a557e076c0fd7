"""What is fuzzed: functions of bytes that fail where a promise is broken. `run.py` feeds them.

The first two bytes of an input choose options; the rest is what is read. A reader of files may refuse an input with
`UtpError`; everything else takes any input.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from tests.cases import FIXTURES
from utp_cli import Parser, audit, diagnose, load_tools, parse, recognise, repair_json, replay
from utp_cli.io.audit_files import audit_file, fixed_text
from utp_cli.io.profiles import check_profile, read_configuration
from utp_cli.io.template_files import read_template_file
from utp_cli.io.tool_files import read_tool_file
from utp_cli.protocol.errors import UtpError
from utp_cli.views import json as as_json

TOOLS = [
    {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "at": {"type": "number"}},
            "required": ["city"],
        },
    }
]
_FOLDER = Path(tempfile.mkdtemp(prefix="utp-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))


def _options(byte: int) -> dict[str, Any]:
    """Turn a byte into options of `parse`."""
    options: dict[str, Any] = {}
    if byte & 1:
        options["tools"] = TOOLS
    if byte & 6:
        options["finish_reason"] = (None, "stop", "length", "tool_calls")[(byte >> 1) & 3]
    if byte & 8:
        options["model"] = ("qwen3:32b", "llama-3.1-8b", "deepseek-v3.1", "kimi-k2")[(byte >> 4) & 3]
    return options


def _sound(document: Any) -> None:
    """Fail where a document is no JSON that everybody reads."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    text = as_json.document(document)
    data = text.encode("utf-8", errors="backslashreplace")
    with suppress(RecursionError):  # sound, and deeper than this reader goes
        json.loads(data, parse_constant=refuse, parse_int=str)


def _tiles(document: dict[str, Any]) -> None:
    by_pointer: dict[str, list[list[int]]] = {}
    for segment in document["segments"]:
        by_pointer.setdefault(segment["pointer"], []).append(segment["span"])
    for spans in by_pointer.values():
        assert spans[0][0] == 0, "segments do not begin at 0"
        assert all(a[1] == b[0] for a, b in zip(spans, spans[1:], strict=False)), "segments do not tile"


def _parse(data: bytes) -> None:
    source: str | bytes = data[2:] if data[1] & 1 else data[2:].decode("utf-8", "replace")
    result = parse(source, **_options(data[0]))
    document = result.to_dict()
    _sound(document)
    _tiles(document)
    assert all(isinstance(call["arguments"], dict) for call in document["calls"]), "arguments are no object"


def _pieces(data: bytes) -> None:
    body, options, size = data[2:], _options(data[0]), data[1] % 9 + 1
    parser = Parser(**options)
    for at in range(0, len(body), size):
        for event in parser.feed(body[at : at + size]):
            event.to_dict()
    whole = parse(body, **options).to_dict()
    cut = parser.close().to_dict()
    assert cut == whole, f"pieces differ in {', '.join(key for key in whole if whole[key] != cut.get(key))}"


def _repair(data: bytes) -> None:
    text = data[2:].decode("utf-8", "surrogateescape" if data[0] & 1 else "replace")
    reading = repair_json(text)
    _sound(reading.value)
    if _is_strict(text):
        assert not reading.repairs, "valid JSON was repaired"


def _is_strict(text: str) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def _recognise(data: bytes) -> None:
    recognise(data[2:]).to_dict()
    recognise(data[2:].decode("utf-8", "replace")).to_dict()


def _diagnose(data: bytes) -> None:
    kinds = ("text", "response", "stream", "session", "tools", "template")
    source: Any = data[2:].decode("utf-8", "replace")
    kind = kinds[data[1] % len(kinds)]
    if kind in ("session", "tools") or data[0] & 128:
        source = _decoded(source)
    if source is None and kind in ("session", "tools"):
        return
    options = {key: value for key, value in _options(data[0]).items() if key != "finish_reason"}
    for found in diagnose(source, kind=kind, **options):
        _sound(found.to_dict())


def _audit(data: bytes) -> None:
    found = _decoded(data[2:].decode("utf-8", "replace"))
    if isinstance(found, dict | list):
        provider = (None, "openai", "anthropic", "gemini")[data[0] & 3]
        _sound(audit(found, provider=provider).to_dict())


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tool_file(data: bytes) -> None:
    text = data[2:].decode("utf-8", "replace")
    name = ("t.yaml", "t.json", "t.jsonl")[data[0] % 3]
    file = read_tool_file(name, text)
    report = audit_file(file)
    _sound(report.to_dict())
    fixed, _ = fixed_text(file, report, unsafe=bool(data[1] & 1))
    read_tool_file(name, fixed)
    load_tools(file.definitions if isinstance(file.definitions, dict | list) else [])


def _profiles(data: bytes) -> None:
    path = _FOLDER / "profiles.toml"
    path.write_bytes(data[2:])
    found = read_configuration(path)
    found.facts_for("qwen3:32b")
    for name, table in found.profiles.items():
        check_profile(table, lambda keys, n=name: found.place("profiles", n, *keys))


def _session(data: bytes) -> None:
    path = _FOLDER / ("s.jsonl", "s.json", "s.txt", "s.har")[data[0] & 3]
    path.write_bytes(data[2:])
    _sound(replay(path).to_dict())


def _har(data: bytes) -> None:
    found = _decoded(data[2:].decode("utf-8", "replace"))
    if isinstance(found, dict):
        _sound(replay(found if "log" in found else {"log": found}).to_dict())


def _gguf(data: bytes) -> None:
    path = _FOLDER / "m.gguf"
    path.write_bytes(data[2:])
    read_template_file(str(path))


class Target(NamedTuple):
    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    may_refuse: bool = False
    """`UtpError` is an answer."""


def _texts(value: Any) -> Iterator[str]:
    """Yield what a case holds of texts, and of documents as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield json.dumps(value)
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _cases(*patterns: str, at_most: int = 3000) -> Callable[[], Iterator[bytes]]:
    """Return a source of seeds: the texts of case files, and other files whole."""

    def seeds() -> Iterator[bytes]:
        for pattern in patterns:
            for path in sorted(path for path in FIXTURES.glob(pattern) if path.is_file()):
                if path.suffix != ".jsonl" or "sessions" in path.parts:
                    yield b"\0\0" + path.read_bytes()[:at_most]
                    continue
                for line in path.read_text(encoding="utf-8").splitlines():
                    for text in dict.fromkeys(_texts(json.loads(line))):
                        if 4 < len(text) < at_most:
                            yield b"\1\0" + text.encode("utf-8", "replace")

    return seeds


def _gguf_seeds() -> Iterator[bytes]:
    text = b"tokenizer.chat_template"
    entry = len(text).to_bytes(8, "little") + text + (8).to_bytes(4, "little") + (2).to_bytes(8, "little") + b"hi"
    yield b"\0\0GGUF" + (3).to_bytes(4, "little") + (0).to_bytes(8, "little") + (1).to_bytes(8, "little") + entry


def _toml_seeds() -> Iterator[bytes]:
    yield b"\0\0" + (FIXTURES.parent / "profiles.toml").read_bytes()
    yield b'\0\0[models."qwen*"]\ncontext_window = 8\n[dialects.acme]\nfamily = "tagged_json_object"\n[audit]\n'


def _har_seeds() -> Iterator[bytes]:
    for text in ('{"choices": [{"message": {"content": "hi"}}]}', "data: {}\n\n"):
        call = {"request": {"method": "POST", "url": "http://a/v1/chat/completions", "postData": {"text": "{}"}}}
        answer = {"response": {"status": 200, "content": {"text": text, "encoding": "base64"}}, "time": 1.5}
        yield b"\0\0" + json.dumps({"log": {"version": "1.2", "entries": [{**call, **answer}]}}).encode()


_TEXTS = ("dialects/*.jsonl", "answers/*", "wire/*.jsonl", "diagnose/*.jsonl")
TARGETS = {
    "parse": Target(_parse, _cases(*_TEXTS)),
    "pieces": Target(_pieces, _cases(*_TEXTS, at_most=800)),
    "repair": Target(_repair, _cases("repair/*.jsonl")),
    "recognise": Target(_recognise, _cases("wire/*.jsonl", "answers/*")),
    "diagnose": Target(_diagnose, _cases("diagnose/*.jsonl")),
    "audit": Target(_audit, _cases("audit/*.jsonl"), may_refuse=True),
    "tool_file": Target(_tool_file, _cases("tools/*", "audit/*.jsonl"), may_refuse=True),
    "profiles": Target(_profiles, _toml_seeds, may_refuse=True),
    "session": Target(_session, _cases("sessions/*", "answers/*", "wire/*.jsonl"), may_refuse=True),
    "har": Target(_har, _har_seeds, may_refuse=True),
    "gguf": Target(_gguf, _gguf_seeds, may_refuse=True),
}


def run(name: str, data: bytes) -> None:
    """Feed one input to a target. Raises whatever is a finding."""
    if len(data) < 2:
        return
    target = TARGETS[name]
    try:
        target.run(data)
    except UtpError:
        if not target.may_refuse:
            raise
