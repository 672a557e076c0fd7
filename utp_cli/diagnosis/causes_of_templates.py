"""Refusals of chat templates: roles, contents and fields that a template does not take."""

from __future__ import annotations

from utp_cli.diagnosis.causes import cause

CAUSES = (
    cause(
        "template-role-error",
        "The chat template refuses the order of the messages.",
        sees="HTTP 500 or 400 from the template engine, most often on the turn after the first tool call.",
        proof="an error text with the template's own complaint.",
        change="merge consecutive user messages, send results with role `tool` right after the call, and put no system "
        "message in the middle; or load a tool-use template (`--chat-template-file`).",
        servers={
            "mistral": "no user message directly after a tool result: put an assistant message between them",
        },
    ),
    cause(
        "system-not-first",
        "The chat template takes a system message in the first place only.",
        sees="HTTP 400 or 500 as soon as a client adds a second system or developer message.",
        change="merge every system message into one, and put it first; or turn later ones into user messages.",
    ),
    cause(
        "role-unknown",
        "A message has a role that the template or the API does not know.",
        sees="HTTP 400 or 500, often with clients made for another API (`developer`, `function`, `model`).",
        change="map the role: developer → system, function → tool, model → assistant; take a template made for tools "
        "where it has no role `tool`.",
        servers={
            "llama.cpp": "`--chat-template-file` with the model's tool template",
            "vllm": "`--chat-template` with the model's tool template",
            "deepseek": "it takes system, user, assistant and tool; no developer",
        },
    ),
    cause(
        "no-user-query",
        "There is no user message left in the conversation.",
        sees="HTTP 400 or 500 after the history was compacted, or with tool results only.",
        change="keep a user message in the history, the newest at least; after compaction put one in front.",
    ),
    cause(
        "template-wants-mapping",
        "The chat template reads the arguments of a call as an object, and got a string.",
        sees="the first turn works; the turn with a call in its history fails.",
        change="update the server (current ones decode `arguments` before they render); where you render yourself, "
        "decode them with `json.loads`; arguments in the history must be valid JSON of an object.",
    ),
    cause(
        "template-wants-string",
        "The chat template joins the arguments of a call as text, and got an object.",
        sees="the turn with a call in its history fails.",
        change="load the server's tool template for the model, or write `| tojson` in the template.",
    ),
    cause(
        "template-null-content",
        "The chat template joins the content of a message, and it is null.",
        sees="the turn with a call in its history fails.",
        change='send `content: ""` beside `tool_calls`.',
    ),
    cause(
        "template-undefined-field",
        "The chat template reads a field that was not sent.",
        sees="HTTP 400 or 500 as soon as a tool, or a call, lacks the field.",
        change="send the full form: `type`, `function.name`, `function.parameters` in each tool, `name` where the "
        "message names it; `content` in each message, also where it is empty; what else the template asks for goes "
        "into `chat_template_kwargs`; or guard it in the template (`is defined`).",
    ),
    cause(
        "template-engine-limit",
        "The template engine of this server lacks something that the template uses.",
        sees="HTTP 500 on each request, or only on those with tools; other servers render the same template.",
        change="update the server; or load a template without that filter, test, method or block.",
        servers={
            "llama.cpp": "a newer build (it has an engine of its own since the end of 2025), or "
            "`--chat-template-file` with a template of `models/templates`",
            "lmstudio": "update LM Studio, or override the prompt template of the model",
        },
    ),
    cause(
        "template-kwargs-refused",
        "`chat_template_kwargs` has a name or a type that the server refuses.",
        sees="HTTP 400.",
        change="send names that the template reads, and JSON booleans for switches.",
    ),
    cause(
        "template-too-slow",
        "Rendering the chat template took too long.",
        sees="HTTP 500 in long sessions.",
        change="shorten the history; raise the limit that the message names; a simpler template.",
    ),
    cause(
        "chat-template-missing",
        "The model has no chat template, or its file was not found.",
        sees="HTTP 400 on each chat, or the server does not start.",
        change="take an instruct checkpoint, or name an existing file (the wheel of vLLM has no `examples/`).",
    ),
    cause(
        "parallel-history-unsupported",
        "The chat template takes exactly one call in an assistant message.",
        sees="the turn after several calls at once fails.",
        change="split the message: one call and its result after the other; ask for one call per turn "
        "(`parallel_tool_calls: false`); drop `tool_calls: []`.",
    ),
    cause(
        "reasoning-twice-in-history",
        "An assistant message has both content and thinking beside its call.",
        sees="HTTP 400 or 500 with gpt-oss.",
        change="send one of the two.",
    ),
)
