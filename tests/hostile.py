"""Texts that are hostile to one dialect: each a function of its length."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from utp_cli.dialects.bodies import CodeBody
from utp_cli.dialects.spec import Dialect
from utp_cli.engine.grammars import write_calls

CALL = {"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}, "id": "functions.get_weather:0"}
TOOLS = [
    {"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}
]


def inputs(dialect: Dialect) -> Iterator[tuple[str, Callable[[int], str]]]:
    """Yield hostile inputs by name, each as a function of its length."""
    tags = [tag for pair in dialect.body.tags for tag in (pair.open, pair.close)]
    closers = [*dialect.call_close, *dialect.section_close]
    own = [*dialect.markers, *closers, *tags, *(marker for pair in dialect.reasoning for marker in pair)]
    call = dict(CALL)
    body = dialect.body
    if isinstance(body, CodeBody):
        call = {"name": body.fixed_name, "arguments": {body.argument_keys[0]: "1"}}
    whole = write_calls(dialect, [call])
    head = whole[: whole.find("Oslo") + 4] if "Oslo" in whole else whole[: len(whole) // 2]
    yield from (
        (f"{marker!r} repeated", lambda n, m=marker: m * (n // len(m))) for marker in dict.fromkeys(own) if marker
    )
    yield "calls", lambda n: whole * (n // len(whole))
    yield "an open call, calls", lambda n: head + whole * (n // len(whole))
    for scrap in (
        "x",
        " ",
        "\n",
        "\\n",
        '"',
        "\\",
        "<",
        "</",
        "{",
        "[",
        '{"a":',
        "(",
        "a=",
        ",",
        "'",
        "`",
        "```",
        "&lt;",
    ):
        yield f"an open call, {scrap!r} repeated", lambda n, s=scrap: head + s * (n // len(s))
        for opener in dialect.markers[:1]:
            yield f"{opener!r}, {scrap!r} repeated", lambda n, o=opener, s=scrap: o + s * (n // len(s))
    for closer in dict.fromkeys([*closers, *tags]):
        if closer:
            yield f"an open call, {closer!r} repeated", lambda n, c=closer: head + c * (n // len(c))
            yield f"a string, {closer!r} repeated", lambda n, c=closer: head + '"' + f"{c} x " * (n // (len(c) + 3))
