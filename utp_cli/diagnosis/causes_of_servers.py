"""Refusals of servers: their parsers, flags, grammars and limits."""

from __future__ import annotations

from utp_cli.diagnosis.causes import cause

CAUSES = (
    cause(
        "tool-flag-missing",
        "The server was started without the flag that allows tools.",
        star=True,
        sees="HTTP 400 or 500 as soon as `tools` is sent.",
        change="start the server with the flag that the message names: vLLM `--enable-auto-tool-choice` together with "
        "`--tool-call-parser NAME`, llama.cpp `--jinja` (builds before December 2025, or started with `--no-jinja`).",
    ),
    cause(
        "tools-unsupported-by-model",
        "The model, as it is served, takes no tools.",
        star=True,
        sees="HTTP 400 as soon as `tools` is sent.",
        change="send no `tools`, describe them in the system prompt (`utp render-tools -f prompt`) and parse the "
        "text; or take a model that is served with tools; where the model itself has them, update server and client, "
        "and load a template that renders tools.",
        servers={
            "ollama": "pull a model tagged tools, or rebuild this one with a TEMPLATE that renders `.Tools`; else send "
            "no `tools`",
            "openrouter": "another provider or model whose supported_parameters have tools "
            "(https://openrouter.ai/models?supported_parameters=tools)",
        },
    ),
    cause(
        "server-rejects-own-output",
        "The model wrote a call, and the server's own parser refused it.",
        sees="HTTP 500, or an error in the middle of a stream, on some turns only. The client did nothing wrong.",
        proof="one of the texts below. Where it quotes the model's answer, that is read and its calls are shown.",
        change="update the server: such faults are mended from release to release; until then retry the turn, and ask "
        "for one call per turn. Where the text quotes a call that can be read, the model is not to blame.",
        servers={
            "llama.cpp": "a current build and the model's own template; one call per turn "
            "(`parallel_tool_calls: false`); `--skip-chat-parsing` gives the raw text in content as a stopgap",
            "ollama": "update Ollama to the newest release; until then retry, or serve the model with llama-server or "
            "vLLM",
            "lmstudio": "update LM Studio and its runtime; the raw text is in its log",
            "vllm": "upgrade vLLM; the call is in content then: check that the parser is that of the model's series",
            "sglang": "upgrade SGLang; the call is in content then: check that the parser is that of the model's "
            "series",
            "tgi": "upgrade TGI; the message quotes the text",
        },
    ),
    cause(
        "failed-generation",
        "The provider refused the call that its model wrote, and quotes it.",
        sees="HTTP 400 with a field `failed_generation`.",
        proof="one of the texts below, or a field `failed_generation` in the error.",
        change="read the call from `failed_generation`; retry at a lower temperature; make the schema simpler, and the "
        "names and descriptions of tools clearer.",
    ),
    cause(
        "grammar-desync",
        "The sampler and the grammar of the server disagree.",
        sees="the request, or the whole server, dies while it generates; or JSON runs on in blanks up to the limit.",
        change="update the server; simpler tool schemas; no speculative decoding beside structured output; where JSON "
        "runs on in white space, a higher limit fills with it too: ask for compact JSON, and retry.",
        servers={
            "llama.cpp": "a newer build, simpler tool schemas, `parallel_tool_calls: false`",
            "vllm": "`--structured-outputs-config.backend guidance`, and no speculative decoding",
        },
    ),
    cause(
        "schema-not-compilable",
        "The server cannot compile a tool's schema into a grammar.",
        sees="one tool of many, and every request with tools is refused; or only those with a forced tool choice.",
        change="find the tool whose schema has the keyword (often `pattern`, `format`, large bounds such as "
        "`maxLength` and `maxItems`, a schema that is `true` or `{}`, an object without properties, or an unusual "
        "type) and drop or rewrite that keyword; `utp audit` names such nodes. With tool choice `auto` some servers "
        "compile nothing; a newer server compiles more.",
        servers={
            "llama.cpp": "drop `pattern` (write `[0-9]` for `\\d`, anchor it with `^` and `$`), lower `maxLength` and "
            "`maxItems` (repetition) to 2000 or less, give each node a known `type`",
            "vllm": "drop the keyword, or choose another backend "
            "(`--structured-outputs-config.backend guidance`); tool choice auto needs no grammar",
            "sglang": "drop the keyword at the path in the message, or `--grammar-backend llguidance`",
            "tgi": "each object needs `properties`, each node a `type`; drop the keyword that the message names",
        },
    ),
    cause(
        "schema-weakened",
        "The server accepts a keyword of the schema and does not enforce it.",
        severity="warning",
        sees="values that the schema forbids.",
        change="check the value where it is used: in the tool's handler, or in what reads the answer; a stricter "
        "backend (guidance) refuses the schema instead.",
    ),
    cause(
        "grammar-too-large",
        "The grammar of all tools together is larger than the server allows.",
        sees="HTTP 400 or 500 with many tools, or with large bounds; each tool alone works.",
        change="fewer tools in one request; drop `maxLength`, `maxItems` and `pattern`.",
    ),
    cause(
        "schema-defs-conflict",
        "Two tools define the same name under `$defs` differently.",
        sees="HTTP 400 when a call is forced; each tool alone works.",
        change="rename the definition in one of them, or write it in place of the `$ref`.",
    ),
    cause(
        "constraint-conflict",
        "Two constraints on the answer exclude each other.",
        sees="HTTP 400, or one of the two is ignored.",
        change="one constraint in a request: a grammar, a response format, a regular expression, or tools.",
    ),
    cause(
        "constraint-unavailable",
        "The server has no backend for structured output.",
        sees="HTTP 400 for `response_format`, a forced tool or strict tools.",
        change="start it with a backend for guided decoding, or a newer release; where it knows no `json_schema`, send "
        "`response_format: json_object` and the schema in the prompt.",
        servers={
            "tensorrt-llm": "`guided_decoding_backend: xgrammar`",
            "vllm": "`--structured-outputs-config.backend xgrammar` or `guidance`",
            "sglang": "`--grammar-backend xgrammar` or `llguidance`",
        },
    ),
    cause(
        "context-exceeded",
        "The request does not fit the context window.",
        sees="HTTP 400 in long sessions, or as soon as many tools are sent. Nothing was cut: the server refused.",
        proof="one of the texts below; its numbers say how much is too much.",
        change="send fewer or shorter tool definitions, shorten tool results (pages, a limit), compact the history "
        "between turns, lower `max_tokens`; or give the server a larger window.",
    ),
    cause(
        "parser-unknown-to-server",
        "This release of the server has no parser of that name.",
        sees="the server does not start.",
        change="take a name of the list in the message, upgrade the server, or load the parser as a plugin.",
    ),
    cause(
        "flag-unknown-to-server",
        "This release of the server has no such flag.",
        sees="the server does not start.",
        proof="a start command with a flag that the release does not have: misspelt, another server's, not there yet, "
        "or gone (`utp detect --command`).",
        change="take the flag that this release has for it, upgrade the server, or drop the flag.",
    ),
    cause(
        "parser-tokenizer-mismatch",
        "The parser needs special tokens that the model does not have.",
        sees="the server does not start, or each request with tools fails.",
        change="take the parser of the model's series; check that the tokenizer is the model's own.",
    ),
    cause(
        "parser-dependency-missing",
        "The parser needs a package that is not installed.",
        sees="the server does not start, or the first request with tools fails.",
        change="install the package that the message names.",
    ),
    cause(
        "renderer-unknown",
        "This release of Ollama does not know the RENDERER of the Modelfile.",
        sees="HTTP 500 on every request for this model.",
        change="update Ollama; or name a renderer that this release knows.",
    ),
    cause(
        "flag-conflict",
        "Two flags of the server exclude or repeat each other.",
        severity="warning",
        sees="the server does not start, or says that it ignores a flag.",
        change="keep one of the flags that the message names.",
    ),
    cause(
        "reasoning-effort-refused",
        "The model or server does not take this value for thinking.",
        sees="HTTP 400 as soon as an effort or a thinking mode is sent.",
        change="send a value of the list in the message (mostly low, medium, high), or leave `reasoning_effort`, or "
        "`thinking`, out.",
    ),
    cause(
        "thinking-unsupported",
        "Thinking was asked for, and the model has none.",
        sees="HTTP 400 from Ollama: the client sends `think` for every model.",
        change="leave `think` out for this model, or take a model that thinks.",
    ),
    cause(
        "responses-state-missing",
        "The server keeps no answers, and the request refers to an earlier one.",
        sees="HTTP 400 or 404 on the second turn of a Responses client.",
        change="send the whole input each time, without `previous_response_id` and without the ids of items; or "
        "`store: true`, and for reasoning `include: reasoning.encrypted_content`.",
        servers={
            "vllm": "`VLLM_ENABLE_RESPONSES_API_STORE=1` keeps answers",
            "sglang": "`--enable-response-store` keeps answers",
        },
    ),
    cause(
        "responses-item-unsupported",
        "The server does not know a kind of item in the Responses input.",
        sees="HTTP 400 with a client that is made for OpenAI's own endpoint.",
        change="drop or convert the item that the message names; or use chat completions.",
    ),
    cause(
        "server-internal",
        "The server itself failed.",
        sees="HTTP 500 without a fault of the request.",
        change="upgrade the server; look for the traceback in its log.",
    ),
)
