"""Healing in your own program: tool calls that work, whatever the server makes of them.

    client = OpenAI(base_url=…, http_client=openai.DefaultHttpxClient(transport=transport()))

No call is executed, and only what the model made is healed: a call that is shown, quoted, refused or cut stays text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from utp_cli.healer.healer import Healer
from utp_cli.healer.heals import Heal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from utp_cli.io.healing_http import HealingTransport
    from utp_cli.protocol.tools import ToolSource

__all__ = ["Heal", "Healed", "Healer", "heal", "transport"]


class Healed(NamedTuple):
    """What `heal` returns."""

    response: Any
    """The answer, of the kind that was given; the very same object where nothing was changed."""
    heals: list[Heal]
    """What was changed, and (code `left`) which calls were seen and left in the text."""


def transport(
    inner: Any = None,
    *,
    tools: ToolSource | None = None,
    model: str | None = None,
    policy: str = "safe",
    server: Mapping[str, Any] | None = None,
    on_heal: Callable[[Heal], None] | None = None,
) -> HealingTransport:
    """Return a transport for httpx and httpx2 (sync and async clients) that heals the answers of chat endpoints.

    `inner`: the transport that it wraps; None: the library's own. Tools and model are read from each request unless
    given. `policy`: `safe` makes repairs of confidence safe and likely, `guess` all. `on_heal` is called with each
    change; a response's `extensions["utp_heals"]` has them too. Raises ValueError for a policy that does not exist.
    """
    from utp_cli.io.healing_http import HealingTransport  # noqa: PLC0415 - only who asks for it pays

    Healer(policy=policy)
    return HealingTransport(inner, tools=_given(tools), model=model, policy=policy, server=server, on_heal=on_heal)


def heal(
    response: Any,
    tools: ToolSource | None = None,
    *,
    wire: str | None = None,
    model: str | None = None,
    policy: str = "safe",
    request: Mapping[str, Any] | None = None,
    server: Mapping[str, Any] | None = None,
) -> Healed:
    """Heal an answer that you hold; return it with what was changed.

    `response`: a decoded body (dict), a body or a stream as text or bytes, or an SDK's object (anything with
    `model_dump` or `to_dict`); it comes back as the same kind, an SDK's object as one of its class, or as a dict where
    the class does not take it. `tools`: the definitions that the model had, in any form (a path, functions and pydantic
    models too); without them (and without `request`) only tagged calls that end the answer are made native. What is
    no answer of the five wires comes back as it is. Raises ValueError for a wire or a policy that does not exist.
    """
    from utp_cli.protocol.numbers import dumps, loads  # noqa: PLC0415
    from utp_cli.protocol.sdk_objects import document_of  # noqa: PLC0415

    known: dict[str, Any] = {"tools": _given(tools), "wire": wire, "model": model, "policy": policy}
    known |= {"request": request, "server": server}
    if isinstance(response, str | bytes):
        data = response.encode("utf-8", "surrogatepass") if isinstance(response, str) else response
        out, heals = _passed(data, known)
        same = out == data
        return Healed(
            response if same else out if isinstance(response, bytes) else out.decode("utf-8", "replace"), heals
        )
    doc = document_of(response)
    if not isinstance(doc, dict):
        return Healed(response, [])
    data = dumps(doc).encode("utf-8", "replace")
    out, heals = _passed(data, known)
    if out == data:
        return Healed(response, heals)
    healed = loads(out)
    return Healed(healed if isinstance(response, dict) else _rebuilt(type(response), healed), heals)


def _given(tools: ToolSource | None) -> list[Any] | None:
    if tools is None:
        return None
    from utp_cli.io.tool_files import given_tools  # noqa: PLC0415 - reads YAML: only for who names tools

    return [*given_tools(tools)]


def _passed(data: bytes, known: dict[str, Any]) -> tuple[bytes, list[Heal]]:
    begin = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    lines = begin.startswith(b"{") and b"}\n{" in data
    kind = (
        "application/x-ndjson"
        if lines
        else "application/json"
        if begin.startswith((b"{", b"["))
        else "text/event-stream"
    )
    healer = Healer(headers=[("content-type", kind)], **known)
    out = healer.feed(data) + healer.close()
    return out, healer.heals


def _rebuilt(kind: type, healed: Any) -> Any:
    """Return an SDK's object of the healed body; the body itself where its class does not take it."""
    for name in ("model_validate", "from_dict", "construct"):
        make = getattr(kind, name, None)
        if callable(make):
            try:
                return make(**healed) if name == "construct" else make(healed)
            except Exception:  # noqa: BLE001, S112 - classes of SDKs raise whatever they like
                continue
    return healed
