"""How to serve a series of models so that its calls come out as calls."""

from __future__ import annotations

from typing import Any, Literal

from utp_cli.detection.series import Series
from utp_cli.detection.words import words
from utp_cli.protocol.records import Record

Basis = Literal["docs", "registry", "inferred"]
Servers = dict[str, list[str]]


class ServerRow(Record):
    """The settings for one series. An empty field: nothing to set, or not offered by that server."""

    series: Series
    dialects: tuple[str, ...] = ()
    """What the model writes in raw text, the likeliest first."""
    vllm: str = ""
    """`--tool-call-parser`."""
    also: tuple[str, ...] = ()
    """Parsers of other dialects that read the series as well."""
    vllm_reasoning: str = ""
    """`--reasoning-parser`."""
    vllm_template: str = ""
    """`--chat-template`: a file in the `examples` of vLLM."""
    sglang: str = ""
    sglang_reasoning: str = ""
    llamacpp: str = ""
    """How llama.cpp reads it: `built in`, or `generic format` (works with any model, costs tokens)."""
    llamacpp_template: str = ""
    """`--chat-template-file`: a file in llama.cpp's `models/templates`."""
    ollama: str = ""
    """What makes Ollama offer tools: the PARSER of the Modelfile, or its template."""
    on_request: bool = False
    """Whether the series' template opens no thinking unless a request asks for it (`chat_template_kwargs`)."""
    note: str = ""
    basis: Basis = "docs"
    """`docs`: the server's documentation names the series for that parser. `registry`: the parser has the
    series' name. `inferred`: the raw text has the format of a documented series."""


def row(
    family: str,
    versions: str = "",
    *,
    any_of: str = "",
    none_of: str = "",
    max_size: int | None = None,
    dialects: str = "",
    also: str = "",
    **settings: Any,
) -> ServerRow:
    """Write a row; words that belong together stand in one string, blanks between."""
    series = Series(
        family=family,
        versions=versions,
        any_of=words(any_of),
        none_of=words(none_of),
        max_size=max_size,
    )
    return ServerRow(series=series, dialects=words(dialects), also=words(also), **settings)


def server_settings(row: ServerRow, *, thinks: bool) -> Servers:
    """Return the start options of each server that can serve the series, ready to append to its command.

    Ollama takes none: an empty list says that it offers tools by itself.
    """
    vllm = ["--enable-auto-tool-choice", "--tool-call-parser", row.vllm] if row.vllm else []
    sglang = ["--tool-call-parser", row.sglang] if row.sglang else []
    vllm += ["--chat-template", f"examples/{row.vllm_template}"] if row.vllm_template else []
    if thinks:
        vllm += ["--reasoning-parser", row.vllm_reasoning] if row.vllm_reasoning else []
        sglang += ["--reasoning-parser", row.sglang_reasoning] if row.sglang_reasoning else []
    servers = {"vllm": vllm, "sglang": sglang}
    servers = {name: options for name, options in servers.items() if options}
    if row.llamacpp or row.llamacpp_template:
        template = f"models/templates/{row.llamacpp_template}"
        servers["llama.cpp"] = [
            "--jinja",
            *(["--chat-template-file", template] if row.llamacpp_template else []),
        ]
    return servers | ({"ollama": []} if row.ollama else {})
