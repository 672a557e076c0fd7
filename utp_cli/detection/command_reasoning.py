"""A reasoning parser that looks for other markers than the model writes, or takes an answer without thinking for it.

Sources: vLLM 0.33.0 (`reasoning/`), SGLang 0.5.23 (`parser/reasoning_parser.py`: `force_reasoning`), read in November
2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.detection.command_faults import REASONING, CommandFault, advised, series
from utp_cli.facts.option_values import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.detection.command_line import StartCommand
    from utp_cli.detection.detect import Detection

MARKERS: Final = {
    **dict.fromkeys(
        words(
            "deepseek_r1 deepseek-r1 deepseek_v3 deepseek-v3 qwen3 qwen3-thinking glm45 glm47 step3 minimax_m2 "
            "minimax_m2_append_think minimax minimax-append-think nemotron_v3 nemotron_3 olmo3 holo2 mimo kimi_k2"
        ),
        "<think>",
    ),
    "seed_oss": "<seed:think>",
    "granite": "Here is my thought process:",
    "mistral": "[THINK]",
    "openai_gptoss": "<|channel|>analysis",
    "gpt-oss": "<|channel|>analysis",
    "gemma4": "<|channel>thought",
    "cohere_command3": "<|START_THINKING|>",
    "cohere_command4": "<|START_THINKING|>",
    "apertus": "<|inner_prefix|>",
    "apertus2509": "<|inner_prefix|>",
    "kimi": "◁think▷",
}
"""Reasoning parser → what it takes for the beginning of thinking."""
FORCED: Final = frozenset({"deepseek_r1", "deepseek-r1", "qwen3-thinking", "step3"})
"""Parsers that take a text without an end of thinking for thinking as a whole."""


def other_reasoning(command: StartCommand, found: Detection) -> Iterator[CommandFault]:
    """Compare the reasoning parser with the model."""
    name = command.options.get(REASONING, "")
    if not name or found.spec.family == "unknown" or found.spec.kind != "chat":
        return
    right = advised(found, command, REASONING)
    if found.capability.reasoning and right and name != right and _differ(name, right):
        yield CommandFault(
            code="parser-mismatch",
            severity="warning",
            message=f"{series(found)} begins its thinking with {MARKERS[right]}, and {REASONING} {name} looks for "
            f"{MARKERS[name]}: thinking stands in the content",
            evidence=f"{REASONING} {name}",
            changes={REASONING: right},
        )
    elif name in FORCED and found.dialect and not found.capability.reasoning and not right:
        yield CommandFault(
            code="call-in-reasoning",
            severity="error",
            message=f"{found.model} does not think, and the reasoning parser {name} takes a text without </think> for "
            "thinking: its calls never reach the tool parser",
            evidence=f"{REASONING} {name}",
            changes={REASONING: None},
        )


def _differ(name: str, right: str) -> bool:
    return name in MARKERS and right in MARKERS and MARKERS[name] != MARKERS[right]
