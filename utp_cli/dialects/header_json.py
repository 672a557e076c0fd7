"""Dialects that name the tool in a header and write the arguments as JSON behind it."""

from __future__ import annotations

from utp_cli.dialects.bodies import HeaderBody
from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import THINK


def _deepseek(*words: str) -> tuple[str, ...]:
    """Spell a marker with the bars and blanks that models and gateways write, the template's first."""
    return tuple(f"<{bar}{blank.join(words)}{bar}>" for bar in ("｜", "|") for blank in ("▁", " ", "_", "\\_"))


def _deepseek_calls(kind: str) -> tuple[str, ...]:
    """Spell what stands before the name: the call's marker, and for V3 its type and a separator."""
    opens, parts = _deepseek("tool", "call", "begin"), _deepseek("tool", "sep")
    return tuple(open_ + (f"{kind}{sep}" if kind else "") for open_, sep in zip(opens, parts, strict=True))


_SECTION_OPEN = (*_deepseek("tool", "calls", "begin"), *_deepseek("tool", "calls"))
_SECTION_CLOSE = _deepseek("tool", "calls", "end")
_CALL_CLOSE = _deepseek("tool", "call", "end")
_OUTPUTS = [
    _deepseek("tool", word, end)[0] for word in ("outputs", "output") for end in ("begin", "end")
]  # what models make up
_DEEPSEEK_DROPPED = ("<｜end▁of▁sentence｜>", *_OUTPUTS)

DEEPSEEK_V3 = Dialect(
    name="deepseek_v3",
    aliases=("deepseekv3",),
    models=("deepseek-v3-0324", "deepseek-v3", "deepseek-r1-0528", "deepseek-r1"),
    source="chat templates of DeepSeek V3 and R1; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "deepseek_v3", "sglang": "deepseekv3"},
    section_open=_SECTION_OPEN,
    section_close=_SECTION_CLOSE,
    call_open=_deepseek_calls("function"),
    call_close=_CALL_CLOSE,
    reasoning=THINK,
    dropped=_DEEPSEEK_DROPPED,
    body=HeaderBody(header=("{name}\n",), fenced=True),
    quirks="The arguments stand in a code fence. Bars are U+FF5C, blanks U+2581.",
)

DEEPSEEK_V31 = Dialect(
    name="deepseek_v31",
    aliases=("deepseekv31",),
    models=("deepseek-v3.1", "deepseek-v3.1-terminus"),
    source="chat template of DeepSeek V3.1; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "deepseek_v31", "sglang": "deepseekv31"},
    section_open=_SECTION_OPEN,
    section_close=_SECTION_CLOSE,
    call_open=_deepseek_calls(""),
    call_close=_CALL_CLOSE,
    reasoning=THINK,
    dropped=_DEEPSEEK_DROPPED,
    body=HeaderBody(header=tuple("{name}" + sep for sep in reversed(_deepseek("tool", "sep")))),
)

KIMI_K2 = Dialect(
    name="kimi_k2",
    models=("kimi-k2", "kimi-k2.5"),
    source="chat templates of Kimi K2; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "kimi_k2", "sglang": "kimi_k2"},
    section_open=("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
    section_close=("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
    call_open=("<|tool_call_begin|>",),
    call_close=("<|tool_call_end|>",),
    reasoning=(*THINK, ("◁think▷", "◁/think▷")),
    dropped=("<|im_end|>",),
    body=HeaderBody(header=("{id}<|tool_call_argument_begin|>",)),
    quirks="The header is the call's id, functions.NAME:INDEX; the index counts over the conversation.",
)

PLAMO3 = Dialect(
    name="plamo3",
    models=("plamo-3", "plamo3"),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "plamo3"},
    section_open=("<|plamo:begin_tool_requests:plamo|>",),
    section_close=("<|plamo:end_tool_requests:plamo|>",),
    call_open=(
        "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>",
        "<|plamo:begin_tool_name:plamo|>",
    ),
    call_close=(
        "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
        "<|plamo:end_tool_request:plamo|>",
    ),
    reasoning=(("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),),
    dropped=("<|plamo:tag|>", "<|plamo:begin_tool_request:plamo|>", "<|plamo:end_tool_arguments:plamo|>"),
    body=HeaderBody(
        header=(
            "{name}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>",
            (
                "{name}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>"
                "<|plamo:constrain|>json<|plamo:msg|>"
            ),
        )
    ),
    quirks="Every marker spans several tokens, so that an answer may end within one.",
)

MISTRAL = Dialect(
    name="mistral",
    models=("mistral", "ministral", "magistral", "devstral", "codestral", "pixtral", "mixtral"),
    source="chat templates of Mistral Nemo, Small 3.2, Devstral and Ministral; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "mistral", "sglang": "mistral", "llama.cpp": "--jinja"},
    call_open=("[TOOL_CALLS]",),
    reasoning=(("[THINK]", "[/THINK]"), *THINK),
    dropped=("</s>",),
    body=HeaderBody(header=("{name}[CALL_ID]{id}[ARGS]", "{name}", "{name}[ARGS]")),
    quirks="Older models write a list of objects behind the marker (mistral_list).",
)

SOLAR_OPEN = Dialect(
    name="solar_open",
    models=("solar-open",),
    source="chat template of Solar-Open-100B (2026)",
    section_open=("<|tool_calls|>",),
    section_close=("<|calls|>",),
    call_open=("<|tool_call:begin|>",),
    call_close=("<|tool_call:end|>",),
    reasoning=(("<|think|>", "<|end|>"),),
    dropped=("<|begin|>assistant", "<|content|>", "<|end|>", "<|flush|>"),
    body=HeaderBody(header=("{id}<|tool_call:name|>{name}<|tool_call:args|>",)),
)

FUNCTIONARY_V32 = Dialect(
    name="functionary_v3_2",
    models=("functionary-medium-v3.2", "functionary-small-v3.2", "functionary-v3.2"),
    source="chat template of functionary-medium-v3.2 (2026)",
    call_open=(">>>",),
    prompt_tail=">>>",
    close_optional=True,
    dropped=(">>>all\n", "<|eot_id|>"),
    body=HeaderBody(header=("{name}\n",)),
    quirks="Text is a call to `all`; the first >>> belongs to the prompt.",
)

GLM4 = Dialect(
    name="glm4",
    aliases=("glm4_0414",),
    models=("glm-4-9b", "glm4-9b", "glm-4-32b", "glm4-32b", "glm-z1", "codegeex4"),
    source="chat templates of GLM-4-9B and GLM-4-0414 as BFCL and ms-swift read them; zai-org/GLM-4#36 (2026)",
    close_optional=True,
    dropped=("<|observation|>",),
    body=HeaderBody(header=("{name}\n",), bare=("{tool}\n", "{tool}\r\n", "{tool} \n")),
    quirks="A line with the name, then the arguments, without a marker: read where the tool is known.",
)

_FROM = ("<|from|>assistant\n", "<|from|> assistant\n", "<|from|>assistant", "")
_TO_ALL = ("<|recipient|>all\n<|content|>", "<|recipient|> all\n<|content|> ", "<|recipient|>all<|content|>")

FUNCTIONARY_V2 = Dialect(
    name="functionary_v2",
    models=("functionary-small-v2", "functionary-medium-v2", "functionary-7b-v2"),
    source="MeetKai's prompt template v2, as llama-cpp-python writes it; `functionary` of vllm-mlx (2026)",
    call_open=tuple(f"{sender}<|recipient|>" for sender in _FROM),
    prompt_tail="<|recipient|>",
    close_optional=True,
    dropped=(*(sender + to for sender in _FROM for to in _TO_ALL), *_FROM[:-1], "<|stop|>"),
    body=HeaderBody(header=("{name}\n<|content|>",)),
    quirks="Text is a message to `all`; the first <|recipient|> belongs to the prompt.",
)

CALLING_TOOL = Dialect(
    name="calling_tool",
    source="how vllm-mlx and Rapid-MLX flatten earlier calls into the prompt; models copy it (2026)",
    call_open=("[Calling tool: ", "[Calling tool:"),
    call_close=(")]", ") ]"),
    reasoning=THINK,
    body=HeaderBody(header=("{name}(",), plain_words=True),
    quirks="Words of a prompt, no token: a server that keeps the calls of its history as text teaches it.",
)

REACT = Dialect(
    name="react",
    source="ReAct prompting (Yao et al., 2022) as LangChain writes it",
    call_open=("Action:",),
    close_optional=True,
    reasoning=THINK,
    body=HeaderBody(header=(" {name}\nAction Input: ",), plain_words=True),
    quirks="The thoughts in front are text; what follows `Observation:` was made up by the model.",
)

STEP_AUDIO_2 = Dialect(
    name="step_audio_2",
    models=("step-audio-2", "step-audio2", "step_audio_2"),
    source="a branch of vLLM (2026)",
    servers={"vllm": "step_audio_2"},
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    body=HeaderBody(header=("function\n{name}\n",)),
    quirks="The first line is the kind, always `function`. The server drops broken JSON and undeclared tools.",
)
