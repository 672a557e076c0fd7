"""Refusals of tools: definitions, schemas, options, and what goes wrong around the call."""

from __future__ import annotations

from utp_cli.diagnosis.causes import cause

CAUSES = (
    cause(
        "tool-choice-refused",
        "The model takes no forced call.",
        sees="HTTP 400 as soon as a call is forced.",
        proof="an error text which says that `tool_choice`, or a forced tool, is not supported by the model or while "
        "thinking is on; or a request that forces a call while it has thinking on, or for a model of DeepSeek's that "
        "thinks by default.",
        change="send `auto`, declare the one tool as strict and say in the prompt that it must be called; or turn "
        "thinking "
        "off for that turn.",
    ),
    cause(
        "schema-property-untyped",
        "A property of a strict schema has no type.",
        sees="HTTP 400 that names the property.",
        change="give the property a `type`.",
    ),
    cause(
        "schema-too-complex",
        "The schemas of all strict tools together are too large for the provider.",
        sees="HTTP 400 with many strict tools, or with many optional fields and enums.",
        change="strict on few tools; fewer optional fields and enums; tool choice auto.",
    ),
    cause(
        "strict-mixed",
        "`strict` differs from tool to tool.",
        sees="HTTP 400 from Cerebras.",
        change="the same value of `strict` on every tool.",
    ),
    cause(
        "strict-unsupported",
        "The model takes no strict tools.",
        sees="HTTP 400 as soon as `strict: true` is sent.",
        change="`strict: false`, or leave it out.",
    ),
    cause(
        "tool-shape-invalid",
        "A tool is not defined in the form that this API takes.",
        sees="HTTP 400 that names a field of the tools; a Realtime session goes on without its tools.",
        proof="an error text that says so; a tool in another API's form where who gets it is known; a tool of a "
        "Realtime session without `type`.",
        change="`tools` is a list; chat completions take `type: function` and, under `function`, name, description "
        'and `parameters` (`{"type": "object", "properties": {}}` where there are none), the Responses API the same '
        "without `function`, Anthropic name and `input_schema`, Gemini `functionDeclarations`; a field that the "
        "message names and this API does not know (`strict`, say) is to be left out; `utp render-tools TOOLS "
        "--provider NAME` writes them as this provider wants them.",
    ),
    cause(
        "tool-type-unsupported",
        "A tool has a type that this endpoint does not know.",
        sees="HTTP 400 with hosted or custom tools (web_search, custom, mcp) of another endpoint, or the tool is lost.",
        proof="an error text that says so; or a tool that OpenAI runs itself in a list for Anthropic, or, as a hint, "
        "one of Anthropic's in a request for chat completions.",
        change="declare it as a tool of type function, or switch it off in the client; hosted and custom tools work on "
        "their own provider's endpoint only.",
    ),
    cause(
        "tool-name-duplicate",
        "Two tools have the same name.",
        sees="HTTP 400, often when two MCP servers are connected.",
        change="make the names unique: a prefix for each server, or drop one of the two.",
    ),
    cause(
        "tool-choice-malformed",
        "The tool choice has the form of another API, or names a tool that was not sent.",
        sees="HTTP 400 as soon as a call is forced.",
        change='write `tool_choice` in this API\'s form, once, or leave it out; OpenAI chat: "auto", "none", '
        '"required" or {"type": "function", "function": {"name": N}}; Responses: {"type": "function", "name": N}; '
        'Anthropic: {"type": "any"} or {"type": "tool", "name": N}; and send the tool named.',
    ),
    cause(
        "tool-options-without-tools",
        "Options for tools are sent without tools.",
        sees="HTTP 400 on turns without tools.",
        change="leave out `tools: []`, `tool_choice`, `parallel_tool_calls` and Gemini's `toolConfig` where there are "
        "no tools.",
    ),
    cause(
        "parallel-option-unsupported",
        "The model refuses `parallel_tool_calls`.",
        sees="HTTP 400 as soon as the field is sent.",
        change="leave `parallel_tool_calls` out for this model.",
    ),
    cause(
        "tools-with-structured-output",
        "Tools stand beside structured output, or beside built-in tools, and the API takes one of the two.",
        sees="HTTP 400, or one of the two is ignored.",
        change="tools first, and the JSON format in a last request without tools; or a tool `final_answer` that "
        "takes the "
        "structure.",
    ),
    cause(
        "tools-need-responses-api",
        "The model takes tools on the Responses API only, or only without thinking.",
        sees="HTTP 400 on chat completions.",
        change='send the request to /v1/responses, or with `reasoning_effort: "none"`.',
    ),
    cause(
        "streaming-tools-unsupported",
        "The model takes no tools while it streams.",
        sees="HTTP 400 with `stream: true` and tools.",
        change="`stream: false` on turns with tools.",
    ),
    cause(
        "tool-input-refused",
        "The tool, or the framework before it, refused the arguments.",
        sees="an error instead of a result; the model may try again.",
        proof="one of the texts below; where it says what is wrong, the diagnosis is that (a missing argument, …).",
        change="give the issues back to the model as the tool's result (`utp parse -t TOOLS` lists them): a required "
        "argument that is missing, one that is unknown, or one of another type, such as a string where an object or an "
        "array is due; make the schema say what the tool wants.",
    ),
    cause(
        "tool-execution-failed",
        "The tool itself failed; the call was right.",
        severity="info",
        sees="an error as the tool's result.",
        change="read what the tool says, and mend it or what it needs: a path, a login, a file, the network; give its "
        "error back to the model as the result of the call.",
    ),
    cause(
        "mcp-result-refused",
        "The result of an MCP tool has not the form that the client asks, or breaks the tool's `outputSchema`.",
        sees="the tool ran, and its result is an error.",
        change="return `content` as a list of blocks of type text, image, audio, resource or resource_link, a failure "
        "as text with `isError: true`; `structuredContent` that fits `outputSchema`, or drop `outputSchema`.",
    ),
    cause(
        "mcp-connection-lost",
        "The connection to the MCP server is gone.",
        sees="-32000, -32001, or a session that is not found.",
        change="run the server's command by hand and read its stderr, stdout belongs to the protocol; restart it and "
        "begin a new session; a longer timeout where it works for long.",
    ),
    cause(
        "mcp-message-not-json",
        "Something else than JSON-RPC came from the MCP server.",
        sees="a parser complains of the first characters of a banner or a log line; -32700; the tools may work or not.",
        change="print to standard error (stderr) only: in stdio mode stdout belongs to the protocol; switch banners "
        "off; run the command by hand: each line on standard output must be a message.",
    ),
    cause(
        "mcp-method-missing",
        "The MCP server does not know the method.",
        severity="warning",
        sees="-32601.",
        change="look at the capabilities that the server announced before you ask.",
    ),
    cause(
        "step-limit",
        "The agent reached its limit of steps.",
        severity="warning",
        sees="a recursion limit or a maximum of turns.",
        change="look for the same call again and again first (`identical-call-loop`), and for calls that the model "
        "writes as text; then raise the limit (`recursion_limit`, `max_iterations`, `max_turns`).",
    ),
    cause(
        "output-retries-exhausted",
        "The structured answer never fitted its schema.",
        sees="the framework gives up after some retries.",
        change="another output mode (a tool, a native format, or prompted); a simpler schema; a stronger model; send "
        "the failed field back when you retry.",
    ),
    cause(
        "gateway-error-opaque",
        "The gateway hides what the provider said.",
        severity="warning",
        sees="`Provider returned error`, or a code without a reason.",
        change="print `error.metadata.raw` (OpenRouter) or `responseBody`, look into the gateway's log, or send the "
        "same request to the provider itself; check the schemas of the tools (`utp audit --provider NAME`) and the "
        "history (`utp replay --for NAME`); leave out one half of the tools, then of the messages.",
    ),
)
