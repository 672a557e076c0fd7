"""Dialects whose messages carry a recipient or a channel in their header."""

from __future__ import annotations

from utp_cli.dialects.bodies import DelimitedBody, HarmonyBody, InvokeBody, JsonBody, PythonicBody, Tag
from utp_cli.dialects.spec import Dialect

HARMONY = Dialect(
    name="openai",
    aliases=("gpt-oss", "harmony", "gpt_oss"),
    models=("gpt-oss", "llm-jp-4"),
    source="openai-harmony and the chat templates of gpt-oss and LLM-jp 4.1; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "openai", "sglang": "gpt-oss", "llama.cpp": "--jinja"},
    call_open=("<|channel|>", "<|start|>assistant", "<|start|> assistant", "<|start|><|channel|>"),
    call_close=("<|call|>",),
    close_optional=True,
    ends_thinking=("<|end|>",),
    dropped=("<|end|>", "<|return|>", "<|start|>"),
    body=HarmonyBody(
        leading=(" to=functions.", "to=functions."),
        thinking_channels=("analysis",),
        header=("commentary to=functions.{name} <|constrain|>json<|message|>",),
        text_recipients=("user", "all", "assistant"),
    ),
    quirks="The recipient stands before or behind the channel; calls occur on `analysis` too. LLM-jp puts a blank "
    "behind each token.",
)

BEAM = Dialect(
    name="beam",
    models=("beam",),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "beam", "sglang": "beam"},
    call_open=("<|channel|>", "<|start|>assistant"),
    call_close=("<|call|>",),
    close_optional=True,
    ends_thinking=("<|end|>",),
    dropped=("<|end|>", "<|return|>"),
    body=HarmonyBody(
        leading=(" to=", "to="),
        header=(" to={name}<|channel|>analysis <|constrain|>xml<|message|>",),
        call=Tag(open="", slot="=", close="<|call|>"),
        argument=Tag(open="<rfl:parameter", slot="name", close="</rfl:parameter>"),
        trim="line",
        thinking_channels=("analysis",),
    ),
    cannot=("own-tags", "odd-keys"),
    quirks="Parameters in tags, sorted by name.",
)

_ATEM_CALL = Tag(open="<atem:invoke", slot="name", close="</atem:invoke>")
_ATEM_ARGUMENT = Tag(open="<atem:parameter", slot="name", close="</atem:parameter>")

MUSE = Dialect(
    name="muse",
    aliases=("muse_glimmer", "musespark1x"),
    models=("muse-spark", "muse-glimmer", "muse"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "muse", "sglang": "muse"},
    call_open=("<|start|>assistant",),
    close_optional=True,
    section_open=("<atem:function_calls>",),
    section_close=("</atem:function_calls>",),
    ends_thinking=("<|eom|>", "<|eot|>"),
    dropped=("<|eom|>", "<|eot|>"),
    body=HarmonyBody(
        leading=(" to=", "to=", "<|message|>"),
        header=(" to={name}<|message|>",),
        call=_ATEM_CALL,
        argument=_ATEM_ARGUMENT,
        body_markup=True,
        thinking_recipients=("self", "developer"),
        text_recipients=("user", "commentary"),
    ),
    cannot=("own-tags", "odd-keys"),
    quirks="The header says who is addressed; the call is markup of its own (atem) in the body.",
)

ATEM = Dialect(
    name="muse_atem",
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "muse", "sglang": "muse"},
    section_open=("<atem:function_calls>",),
    section_close=("</atem:function_calls>",),
    call_open=("<atem:invoke ",),
    dropped=("<|eom|>", "<|eot|>"),
    body=InvokeBody(call=_ATEM_CALL, argument=_ATEM_ARGUMENT, doubled_name=True),
    quirks="The name may be doubled: x.x means x.",
)

INKLING = Dialect(
    name="inkling",
    models=("inkling",),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "inkling", "sglang": "inkling"},
    call_open=("<|content_invoke_tool_json|>", "<|content_invoke_tool_text|>"),
    call_close=("<|end_message|>", "<|content_model_end_sampling|>"),
    reasoning=(("<|content_thinking|>", "<|end_message|>"),),
    dropped=(
        "<|message_model|>",
        "<|content_text|>",
        "<|content_tool_error|>",
        "<|message_user|>",
        "<|content_audio_input|>",
        "<|audio_end|>",
        "<|content_model_end_sampling|>",
        "<|end_message|>",
    ),
    body=JsonBody(argument_keys=("args",), named_before=True),
    quirks="The tool's name stands before the marker as well; the prompt may have opened the message.",
)

_CALL_WORD = r"\s*call:[\w.-]+\{"
"""How a call begins that lost its opening marker; a delimiter has to follow."""

_ANSWERS = tuple(f"<|channel>{label}\n" for label in ("content", "response", "final", "answer"))
"""Channels that are no thinking."""

GEMMA4 = Dialect(
    name="gemma4",
    models=("gemma-4",),
    source="chat template of gemma-4-31B-it; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "gemma4", "sglang": "gemma4"},
    call_open=("<|tool_call>call:", "<|tool_call>:call:", "<|tool_call>:", "<|tool_call>"),
    call_close=("<tool_call|>",),
    reasoning=(
        ("<|channel>thought\n", "<channel|>"),
        ("<|channel>thought", "<channel|>"),
        ("<|channel>", "<channel|>"),
    ),
    ends_thinking=_ANSWERS,
    dropped=("<turn|>", "<|tool_response>", "<bos>", "<eos>", *_ANSWERS),
    body=DelimitedBody(quote='<|"|>', bare=("call:",), bare_form=_CALL_WORD + r'(?:\w+:)?<\|"\|>'),
    quirks="Keys are bare words, so that a key with separators in it cannot be written.",
)

GEMMA4_PYTHONIC = Dialect(
    name="gemma4_pythonic",
    source="what small Gemma 4 models write in place of braces; parser `gemma4` of vllm-mlx (2026)",
    call_open=("<|tool_call>call:",),
    call_close=("<tool_call|>",),
    body=PythonicBody(by_line=True),
    quirks="Python's brackets between the markers of gemma4.",
)

FUNCTIONGEMMA = Dialect(
    name="functiongemma",
    models=("functiongemma",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "functiongemma"},
    call_open=("<start_function_call>call:",),
    call_close=("<end_function_call>",),
    dropped=("<end_of_turn>", "<start_function_response>", "<eos>"),
    body=DelimitedBody(quote="<escape>", bare=("call:",), bare_form=_CALL_WORD + "(?:\\w+:)?<escape>"),
    quirks="vLLM reads delimited values only: numbers, lists and maps vanish there.",
)
