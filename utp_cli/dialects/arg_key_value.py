"""Dialects that write the name as text, then pairs of key and value tags.

Markers leave the closing `>` open where a checkpoint may write a suffix before it (`<tool_calls:opensource>`).
"""

from __future__ import annotations

from utp_cli.dialects.bodies import PairsBody, Tag
from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import THINK

_PAIRS = Tag(open="<arg_key", slot="=", close="</arg_value")
_BODY = PairsBody(argument=_PAIRS)
_GLM_END = ("<|user|>", "<|observation|>", "<|endoftext|>", "<|role_end|>", "<|begin_of_box|>", "<|end_of_box|>")


def _glm(
    name: str,
    models: tuple[str, ...],
    source: str,
    servers: dict[str, str],
    *,
    aliases: tuple[str, ...] = (),
    body: PairsBody = _BODY,
    quirks: str = "",
) -> Dialect:
    return Dialect(
        name=name, models=models, source=source, servers=servers, call_open=("<tool_call>",),
        call_close=("</tool_call>",), reasoning=THINK, dropped=_GLM_END, aliases=aliases, body=body, quirks=quirks,
    )  # fmt: skip


GLM45 = _glm(
    "glm45", ("glm-4.5", "glm-4.6"), "chat template of GLM-4.6; vLLM 0.33, SGLang 0.5 (2026)",
    {"vllm": "glm45", "sglang": "glm45"}, aliases=("glm",),
    quirks="A line break ends the name; some checkpoints write it as backslash and n.",
)  # fmt: skip
GLM47 = _glm(
    "glm47", ("glm-4.7", "glm-5", "glm-5.3"), "chat template of GLM-4.7-Flash; vLLM 0.33, SGLang 0.5 (2026)",
    {"vllm": "glm47", "sglang": "glm47"}, quirks="The first key ends the name.",
)  # fmt: skip
LING3 = _glm(
    "ling3", ("ling-3", "ling3", "ring-3"), "chat template of Ling 3.0 Flash; vLLM 0.33, SGLang 0.5 (2026)",
    {"vllm": "ling3", "sglang": "ling3"},
)  # fmt: skip
SPARK25 = _glm(
    "spark25", ("spark-2.5", "spark2_5", "spark2.5"), "chat template of Spark 2.5; SGLang 0.5 (2026)",
    {"sglang": "spark25"},
)  # fmt: skip
POOLSIDE = _glm(
    "poolside_v1", ("laguna", "poolside"), "chat templates of Laguna; vLLM 0.33, SGLang 0.5 (2026)",
    {"vllm": "poolside_v1", "sglang": "poolside_v1"}, quirks="A key without a value is dropped.",
)  # fmt: skip

IQUEST = Dialect(
    name="iquest_q1",
    models=("iquest-q1", "iquest"),
    source="SGLang 0.5 (2026)",
    servers={"sglang": "iquest_q1"},
    call_open=("<iquest_tool_call>",),
    call_close=("</iquest_tool_call>",),
    reasoning=THINK,
    body=_BODY,
)

HY_V3 = Dialect(
    name="hy_v3",
    aliases=("hunyuan",),
    models=("hunyuan-v3", "hy3", "hy-3", "hunyuan-3"),
    source="chat template of Hy3; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "hy_v3", "sglang": "hunyuan"},
    section_open=("<tool_calls>", "<tool_calls:"),
    section_close=("</tool_calls>", "</tool_calls:"),
    call_open=("<tool_call>", "<tool_call:"),
    call_close=("</tool_call>", "</tool_call:", "<end_of_tool_call>", "<end_of_tool_call:"),
    reasoning=(("<think>", "</think>"), ("<think:", "</think:")),
    body=PairsBody(argument=_PAIRS, separators=("<tool_sep>", "<tool_sep:")),
    quirks="Every tag may carry a suffix; <tool_sep> stands behind the name.",
)

HY_V4 = Dialect(
    name="hy_v4",
    models=("hunyuan-v4", "hy4", "hy-4"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "hy_v4", "sglang": "hunyuan"},
    section_open=("<tool_calls>", "<tool_calls:"),
    section_close=("</tool_calls>", "</tool_calls:"),
    call_open=("<tool_call>", "<tool_call:"),
    call_close=("</tool_call>", "</tool_call:"),
    reasoning=(("<think>", "</think>"), ("<think:", "</think:")),
    body=_BODY,
    quirks="Every tag may carry a suffix.",
)

K2_HORIZON = Dialect(
    name="k2_horizon",
    models=("k2-horizon", "k2-v3"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "k2_horizon", "sglang": "k2_horizon"},
    section_open=("<ifm|tool_calls>",),
    section_close=("</ifm|tool_calls>",),
    call_open=("<ifm|tool_call>",),
    call_close=("</ifm|tool_call>",),
    reasoning=(
        ("<ifm|think>", "</ifm|think>"),
        ("<ifm|think_fast>", "</ifm|think_fast>"),
        ("<ifm|think_faster>", "</ifm|think_faster>"),
    ),
    body=PairsBody(argument=Tag(open="<ifm|arg_key", slot="=", close="</ifm|arg_value")),
    quirks="Pairs, pairs with a type, or JSON.",
)

IQUEST_CODER_V2 = Dialect(
    name="iquest_coder_v2",
    models=("iquest-coder-v2",),
    source="a branch of vLLM (2026)",
    servers={"vllm": "iquest_coder_v2"},
    call_open=("<iquestcoder_tool_call>",),
    call_close=("</iquestcoder_tool_call>",),
    reasoning=THINK,
    body=_BODY,
)

LONGCAT_PAIRS = Dialect(
    name="longcat_pairs",
    models=("longcat-flash-lite", "longcat-2"),
    source="MLX LM (2026-08)",
    servers={"vllm": "longcat"},
    call_open=("<longcat_tool_call>",),
    call_close=("</longcat_tool_call>",),
    reasoning=(("<longcat_think>", "</longcat_think>"),),
    body=PairsBody(argument=Tag(open="<longcat_arg_key", slot="=", close="</longcat_arg_value")),
    quirks="The newer of LongCat's forms; the older one has JSON between the same markers.",
)

GLM53_FLASH = _glm(
    "glm53_flash", ("glm-5.3-flash",), "a branch of SGLang (2026)", {"sglang": "glm53_flash"},
    body=PairsBody(argument=_PAIRS, separators=(">",)),
    quirks="`>` ends the name, and JSON may follow it. The server guesses and renames tools.",
)  # fmt: skip

TELECHAT4 = Dialect(
    name="telechat4",
    aliases=("xing4_0", "xingchen4", "telechat"),
    models=("telechat4", "telechat-4", "xing4", "xing-4", "xingchen4", "xingchen-4"),
    source="a branch of vLLM (2026)",
    servers={"vllm": "telechat4"},
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    reasoning=THINK,
    body=PairsBody(argument=Tag(open="<param_key", slot="=", close="</param_value")),
    quirks="JSON may follow the name in place of pairs. The server ends a call at the first </tool_call>.",
)

SOLAR_OPEN2 = Dialect(
    name="solar_open2",
    models=("solar-open2", "solar-open-2", "solar-pro4", "solar-pro-4"),
    source="branches of vLLM and SGLang (2026)",
    servers={"vllm": "solar_open2", "sglang": "solar_open2"},
    call_open=("<|tool_call:start|>",),
    call_close=("<|tool_call:end|>",),
    reasoning=(("<|think:start|>", "<|think:end|>"),),
    dropped=("<|im:end|>",),
    body=PairsBody(
        argument=Tag(open="<|tool_arg:start|>", slot="=", middle="<|tool_arg:value|>", close="<|tool_arg:end|>")
    ),
    quirks="A line break ends the name. The server runs calls that stand in closed thinking, too.",
)
