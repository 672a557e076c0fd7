"""Refusals of histories: order of turns, contents, ids and fields of messages."""

from __future__ import annotations

from utp_cli.diagnosis.causes import cause

CAUSES = (
    cause(
        "ends-with-assistant",
        "The conversation ends with an assistant message, and the model takes no prefill.",
        sees="HTTP 400; or the server goes on with that message instead of answering.",
        change="drop the last assistant message, or append a user message; where it has calls, append their results.",
        servers={
            "llama.cpp": "`--no-prefill-assistant`, or thinking off",
            "vllm": "`continue_final_message: true` with `add_generation_prompt: false` where a prefill is meant",
            "sglang": "`continue_final_message: true` where a prefill is meant",
        },
    ),
    cause(
        "content-shape",
        "The content of a message has a form that this API does not take.",
        sees="HTTP 400 as soon as a list of parts, an object, or a part of another API is sent.",
        change="content as a string, or as text parts of this API; translate tool_use, tool_result and thinking parts; "
        "write the result of a tool as text (JSON, encoded), or as the object that the API wants.",
        servers={"ollama": "/api/chat takes a string only"},
    ),
    cause(
        "content-null-refused",
        "The content of a message is null or absent.",
        sees="HTTP 400 on the turn after a call; HTTP 500 where a chat template reads the content of every message.",
        change='send `content: ""`; null only beside `tool_calls`, and only where the API takes it.',
    ),
    cause(
        "tool-calls-empty-array",
        "An assistant message of the history carries `tool_calls: []`.",
        sees="HTTP 400 or 500 on the turn after an answer without calls.",
        change="delete the key `tool_calls` where it is empty.",
    ),
    cause(
        "block-extra-field",
        "A message or block was sent back with fields that the input does not take.",
        sees="HTTP 400 that names a field of an answer.",
        change="keep only the fields of the input when an answer is put into the history: remove `reasoning_content`, "
        "`id`, `name`, `index`, `cache_control`, `metadata` and the like where this API does not know them.",
    ),
    cause(
        "too-many-calls",
        "One turn of the history has more calls than the provider takes.",
        sees="HTTP 400.",
        change="split the turn, or drop calls together with their results.",
    ),
    cause(
        "responses-item-pairing",
        "A reasoning item and the item that it belongs to were parted.",
        sees="HTTP 400 on the second turn of a Responses session, often after the history was cut or with `store: "
        "false`.",
        change="send both or neither, in the order in which they came; drop the item's `id` where nothing is stored.",
    ),
    cause(
        "responses-id-format",
        "The id of a Responses item lacks its prefix, or is empty.",
        sees="HTTP 400 when the history of another API is sent.",
        change="drop `id` (it is optional) and keep `call_id`.",
    ),
    cause(
        "thinking-block-altered",
        "A thinking block was changed, is unsigned, or belongs to another model.",
        sees="HTTP 400 on the turn after a call, or after a switch of model.",
        change="send thinking blocks back unchanged; drop those of another model.",
    ),
    cause(
        "thinking-config-conflict",
        "The settings for thinking contradict others.",
        sees="HTTP 400.",
        change="`max_tokens` above `budget_tokens`; no `temperature` or `top_p` beside thinking.",
    ),
    cause(
        "request-not-json",
        "The body of the request is no valid JSON.",
        sees="HTTP 400 on every later turn of one session, often after a tool's result was cut in the middle of an "
        "emoji.",
        change='replace lone surrogates before sending (`toWellFormed()` in JavaScript, `errors="replace"` in '
        "Python), and cut text between characters, not between UTF-16 units.",
    ),
    cause(
        "tools-missing-with-history",
        "The history has calls or results, and the request sends no tools.",
        sees="HTTP 400 on a last turn that should write a summary or a title; or the model announces its next step "
        "and calls nothing.",
        proof="a request with a model and without tools, whose history holds calls and ends with a result: an error "
        "for Anthropic and Bedrock, else a hint; or an error text that says so.",
        change="send the same tools on every turn (tool choice `none` where no call is wanted), or turn calls and "
        "results into text.",
    ),
)
