"""Dialects that write one tag for the call and one for each argument, with the values as text."""

from __future__ import annotations

from utp_cli.dialects.bodies import FunctionBody, InvokeBody, Tag
from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import CHATML, THINK

_FUNCTION = Tag(open="<function", slot="=", close="</function>")
_PARAMETER = Tag(open="<parameter", slot="=", close="</parameter>")
_INVOKE = Tag(open="<invoke", slot="name", close="</invoke>")
_NAMED_PARAMETER = Tag(open="<parameter", slot="name", close="</parameter>")

QWEN3_CODER = Dialect(
    name="qwen3_coder",
    aliases=("qwen3_xml", "nanbeige", "step5", "nemotron_v3", "nemotron_3", "granite_thinking_parser"),
    models=(
        "qwen3-coder", "qwen3.5", "qwen3.6", "nemotron-3", "nemotron-nano-3", "nemotron3", "granite-4.2", "nanbeige",
        "step-5", "step5",
    ),
    source="chat templates of Qwen3-Coder, Qwen3.5 and Nemotron 3; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "qwen3_coder", "sglang": "qwen3_coder", "llama.cpp": "--jinja"},
    section_open=("<tool_call>",),
    section_close=("</tool_call>",),
    call_open=("<function=", "<function ="),
    reasoning=THINK,
    dropped=CHATML,
    body=FunctionBody(call=_FUNCTION, argument=_PARAMETER, trim="line"),
    quirks="The opening <tool_call> is often missing; several functions may share one; booleans are capitalised.",
)  # fmt: skip

STEP3P5 = Dialect(
    name="step3p5",
    models=("step-3.5", "step-3.7", "step3.5"),
    source="chat template of StepFun 3.5 Flash; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "step3p5", "sglang": "step3p5"},
    section_open=("<tool_call>",),
    section_close=("</tool_call>",),
    call_open=("<function=", "<function ="),
    reasoning=THINK,
    dropped=CHATML,
    body=FunctionBody(call=_FUNCTION, argument=_PARAMETER, trim="line"),
    quirks="The thinking is opened by the prompt.",
)

MIMO = Dialect(
    name="mimo",
    models=("mimo-v2", "mimo"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "mimo", "sglang": "mimo"},
    section_open=("<tool_call>",),
    section_close=("</tool_call>",),
    call_open=("<function=", "<function ="),
    reasoning=THINK,
    dropped=CHATML,
    body=FunctionBody(call=_FUNCTION, argument=_PARAMETER),
    quirks="Values are verbatim: no line break is trimmed.",
)

SEED_OSS = Dialect(
    name="seed_oss",
    models=("seed-oss",),
    source="chat template of Seed-OSS; vLLM 0.33 (2026)",
    servers={"vllm": "seed_oss"},
    section_open=("<seed:tool_call>",),
    section_close=("</seed:tool_call>",),
    call_open=("<function=", "<function ="),
    reasoning=(("<seed:think>", "</seed:think>"),),
    dropped=("<seed:eos>",),
    body=FunctionBody(call=_FUNCTION, argument=_PARAMETER),
)

_NAMESPACE = "antml" + ":"


def _anthropic(name: str, aliases: tuple[str, ...], models: tuple[str, ...], prefix: str) -> Dialect:
    return Dialect(
        name=name,
        aliases=aliases,
        models=models,
        source="Anthropic's tool use in the system prompt, before the tools API (2024)",
        section_open=(f"<{prefix}function_calls>",),
        section_close=(f"</{prefix}function_calls>",),
        call_open=(f"<{prefix}invoke ",),
        reasoning=((f"<{prefix}thinking>", f"</{prefix}thinking>"),),
        body=InvokeBody(
            call=Tag(open=f"<{prefix}invoke", slot="name", close=f"</{prefix}invoke>"),
            argument=Tag(open=f"<{prefix}parameter", slot="name", close=f"</{prefix}parameter>"),
        ),
    )


ANTHROPIC = _anthropic("anthropic", ("function_calls", "invoke", "claude"), ("claude",), "")
ANTHROPIC_NAMESPACED = _anthropic("anthropic_namespaced", (), (), _NAMESPACE)

GROK = Dialect(
    name="grok",
    aliases=("xai",),
    source="what Grok's prompts teach and Grok writes into the text of coding agents (public files, 2025 and 2026)",
    call_open=("<xai:function_call ", "<xai:function_call\n", "<xai:function_call\r\n"),
    body=InvokeBody(
        call=Tag(open="<xai:function_call", slot="name", close="</xai:function_call>"), argument=_NAMED_PARAMETER
    ),
    quirks="Values are plain text, nothing in them is escaped; xAI's API gives structured calls.",
)

MINIMAX_M2 = Dialect(
    name="minimax_m2",
    aliases=("minimax-m2",),
    models=("minimax-m2",),
    source="chat template of MiniMax-M2; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "minimax_m2", "sglang": "minimax-m2"},
    section_open=("<minimax:tool_call>",),
    section_close=("</minimax:tool_call>",),
    call_open=("<invoke ",),
    reasoning=THINK,
    dropped=("[e~[",),
    body=InvokeBody(call=_INVOKE, argument=_NAMED_PARAMETER),
    quirks="Attributes in double, single or no quotes; the thinking may lack its opening tag.",
)

DOTS = Dialect(
    name="dots",
    models=("dots.", "dots-"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "dots", "sglang": "dots"},
    section_open=("<dots_function_call>",),
    section_close=("</dots_function_call>",),
    call_open=("<invoke ",),
    reasoning=THINK,
    body=InvokeBody(call=_INVOKE, argument=_NAMED_PARAMETER, trim="space"),
    cannot=("edge-space",),
)

_PIPE = "｜"  # U+FF5C


def _dsml(word: str, blank: str = "", bar: str = _PIPE) -> tuple[Tag, Tag]:
    """Spell the two tags of a `｜WORD｜` dialect."""
    before = f"{bar}{word}{bar}{blank}"
    call = Tag(open=f"<{before}invoke", slot="name", close=f"</{before}invoke>")
    argument = Tag(open=f"<{before}parameter", slot="name", type="string", close=f"</{before}parameter>")
    return call, argument


def _sections(word: str, bar: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    r"""Spell the markers of a section, opening and closing, also as Markdown escapes them: `tool\_calls`."""
    spelt = [f"{bar}{word}{bar}{name}" for plain in names for name in dict.fromkeys((plain, plain.replace("_", "\\_")))]
    return tuple(f"<{name}>" for name in spelt), tuple(f"</{name}>" for name in spelt)


_DSML_CALL, _DSML_ARGUMENT = _dsml("DSML")
_DSML_CALL_41, _DSML_ARGUMENT_41 = _dsml("DSML", " ")
_DSML_CALL_2, _DSML_ARGUMENT_2 = _dsml("DSML", bar=_PIPE * 2)
_DSML_CALL_41_2, _DSML_ARGUMENT_41_2 = _dsml("DSML", " ", _PIPE * 2)
_GCML_CALL, _GCML_ARGUMENT = _dsml("GCML")
_DEEPSEEK_END = ("<｜end▁of▁sentence｜>",)
_V32_OPEN, _V32_CLOSE = _sections("DSML", _PIPE, ("function_calls",))
_V4_OPEN, _V4_CLOSE = _sections("DSML", _PIPE, ("tool_calls", "toolcalls", "tool"))
_V4_OPEN_2, _V4_CLOSE_2 = _sections("DSML", _PIPE * 2, ("tool_calls", "toolcalls", "tool", "function_calls"))
_GCML_OPEN, _GCML_CLOSE = _sections("GCML", _PIPE, ("tool_calls",))

DEEPSEEK_V32 = Dialect(
    name="deepseek_v32",
    aliases=("deepseekv32",),
    models=("deepseek-v3.2",),
    source="chat template of DeepSeek-V3.2; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "deepseek_v32", "sglang": "deepseekv32"},
    section_open=_V32_OPEN,
    section_close=_V32_CLOSE,
    call_open=("<｜DSML｜invoke ",),
    reasoning=THINK,
    dropped=_DEEPSEEK_END,
    body=InvokeBody(call=_DSML_CALL, argument=_DSML_ARGUMENT),
    quirks='string="true" means text as it stands, string="false" JSON; the attribute may be missing.',
)

DEEPSEEK_V4 = Dialect(
    name="deepseek_v4",
    aliases=("deepseekv4",),
    models=("deepseek-v4",),
    source="chat template of DeepSeek-V4; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "deepseek_v4", "sglang": "deepseekv4"},
    section_open=_V4_OPEN,
    section_close=_V4_CLOSE,
    call_open=("<｜DSML｜invoke ",),
    reasoning=THINK,
    dropped=_DEEPSEEK_END,
    body=InvokeBody(call=_DSML_CALL, argument=_DSML_ARGUMENT),
)

DEEPSEEK_V41 = Dialect(
    name="deepseek_v41",
    aliases=("deepseekv41",),
    models=("deepseek-v4.1",),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "deepseek_v41", "sglang": "deepseekv41"},
    section_open=("<｜DSML｜ calls>",),
    section_close=("</｜DSML｜ calls>",),
    call_open=("<｜DSML｜ invoke ",),
    reasoning=THINK,
    dropped=_DEEPSEEK_END,
    body=InvokeBody(call=_DSML_CALL_41, argument=_DSML_ARGUMENT_41),
    quirks="A blank stands inside every tag.",
)

DEEPSEEK_DOUBLED = Dialect(
    name="deepseek_doubled",
    source="public threads and code that quote it (2026)",
    section_open=_V4_OPEN_2,
    section_close=_V4_CLOSE_2,
    call_open=("<｜｜DSML｜｜invoke ",),
    reasoning=THINK,
    dropped=_DEEPSEEK_END,
    body=InvokeBody(call=_DSML_CALL_2, argument=_DSML_ARGUMENT_2),
    quirks="What DeepSeek V3.2 and V4 write, with every bar twice.",
)

DEEPSEEK_V41_DOUBLED = Dialect(
    name="deepseek_v41_doubled",
    source="public threads and code that quote it (2026)",
    section_open=("<｜｜DSML｜｜ calls>",),
    section_close=("</｜｜DSML｜｜ calls>",),
    call_open=("<｜｜DSML｜｜ invoke ",),
    reasoning=THINK,
    dropped=_DEEPSEEK_END,
    body=InvokeBody(call=_DSML_CALL_41_2, argument=_DSML_ARGUMENT_41_2),
    quirks="What DeepSeek V4.1 writes, with every bar twice.",
)

GIGACHAT35 = Dialect(
    name="gigachat35",
    models=("gigachat3.5", "gigachat-3.5"),
    source="SGLang 0.5 (2026)",
    servers={"sglang": "gigachat35"},
    section_open=_GCML_OPEN,
    section_close=_GCML_CLOSE,
    call_open=("<｜GCML｜invoke ",),
    reasoning=THINK,
    dropped=("</s>",),
    body=InvokeBody(call=_GCML_CALL, argument=_GCML_ARGUMENT),
)


def _ascii(name: str, word: str, end: tuple[str, ...]) -> Dialect:
    """Make the dialect that is left of a `｜WORD｜` one where somebody typed its bars anew."""
    call, argument = _dsml(word, bar="|")
    opens, closes = _sections(word, "|", ("function_calls", "tool_calls"))
    return Dialect(
        name=name, source="tokens re-typed by gateways (2026)", section_open=opens, section_close=closes,
        call_open=(f"<|{word}|invoke ",), reasoning=THINK, dropped=end, body=InvokeBody(call=call, argument=argument),
        quirks="ASCII bars in place of U+FF5C; no server reads it.",
    )  # fmt: skip


DSML_ASCII = _ascii("dsml_ascii", "DSML", _DEEPSEEK_END)
GCML_ASCII = _ascii("gcml_ascii", "GCML", ("</s>",))

STEP3 = Dialect(
    name="step3",
    models=("step3", "step-3"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "step3", "sglang": "step3"},
    section_open=("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_begin｜>"),
    section_close=("<｜tool_calls_end｜>", "<｜tool_call_end｜>"),
    call_open=("<steptml:invoke ",),
    reasoning=THINK,
    body=InvokeBody(
        call=Tag(open="<steptml:invoke", slot="name", close="</steptml:invoke>"),
        argument=Tag(open="<steptml:parameter", slot="name", close="</steptml:parameter>"),
        trim="space",
    ),
    cannot=("edge-space",),
    quirks="Full-width bars, but no U+2581.",
)

MINICPM5 = Dialect(
    name="minicpm5",
    models=("minicpm5", "minicpm-5", "minicpm4"),
    source="chat template of MiniCPM5-1B; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "minicpm5", "sglang": "minicpm5"},
    call_open=("<function name=", "<functionname=", "<functionĠname="),
    reasoning=THINK,
    dropped=CHATML,
    body=InvokeBody(
        call=Tag(open="<function", slot="name", close="</function>"),
        argument=Tag(open="<param", slot="name", close="</param>"),
        trim="cdata",
    ),
    quirks="Values may stand in CDATA; tokenizer leftovers occur (<functionname=).",
)

KIMI_K3 = Dialect(
    name="kimi_k3",
    models=("kimi-k3",),
    source="chat template of Kimi K3; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "kimi_k3", "sglang": "kimi_k3"},
    section_open=("<|open|>tools<|sep|>",),
    section_close=("<|close|>tools<|sep|>",),
    call_open=("<|open|>call ",),
    reasoning=(("<|open|>think<|sep|>", "<|close|>think<|sep|>"), ("<|open|>think<|sep|>", "<|close|>think")),
    ends_thinking=("<|open|>response<|sep|>",),
    dropped=("<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>", "<|end_of_msg|>"),
    body=InvokeBody(
        call=Tag(open="<|open|>call", slot="tool", counter="index", end="<|sep|>", close="<|close|>call<|sep|>"),
        argument=Tag(open="<|open|>argument", slot="key", type="type", end="<|sep|>", close="<|close|>argument<|sep|>"),
    ),
    quirks="Each argument tells its type; `index` is an ordinal, not an id.",
)

FUNCTIONARY_V31 = Dialect(
    name="functionary_v3_1",
    models=("functionary-medium-v3.1", "functionary-small-v3.1", "functionary-v3.1"),
    source="chat template of functionary-medium-v3.1 (2026)",
    call_open=("<function=", "<function ="),
    dropped=("<|eom_id|>", "<|eot_id|>"),
    body=FunctionBody(call=_FUNCTION),
    quirks="A JSON object stands in the tag.",
)
