"""The series of makers with one or two lines of models: columns and sources as in `server_flags`."""

from __future__ import annotations

from utp_cli.detection.serving import ServerRow, row as _row

# fmt: off
MORE_ROWS: tuple[ServerRow, ...] = (
    _row(
        "granite", any_of="functioncalling", dialects="granite_20b_fc", vllm="granite-20b-fc",
        vllm_template="tool_chat_template_granite_20b_fc.jinja",
    ),
    _row(
        "granite", ">=4.2", dialects="qwen3_coder", vllm="qwen3_coder",
        vllm_reasoning="granite_thinking_parser", sglang="qwen3_coder",
        sglang_reasoning="granite_thinking_parser", basis="registry",
    ),
    _row(
        "granite", ">=4,<4.2", dialects="hermes", vllm="granite4", llamacpp="built in",
        ollama="template lists .Tools",
        note="Granite checkpoints that think by template switch: vLLM granite_thinking_parser, SGLang "
        "granite_thinking_parser",
    ),
    _row(
        "granite", ">=3,<4", dialects="granite", vllm="granite", vllm_reasoning="granite",
        llamacpp="built in", ollama="template lists .Tools", on_request=True,
        note="3.0 needs tool_chat_template_granite.jinja, 3.1 on use their own; the reasoning parser is "
        "for 3.2 and 3.3 with chat_template_kwargs {thinking: true}",
    ),
    _row(
        "command", any_of="plus", none_of="r", dialects="cohere_command4", vllm="cohere_command4",
        vllm_reasoning="cohere_command4", sglang="cohere_command4", sglang_reasoning="cohere_command4",
        note="the parsers say Command 4; that A+ is the first of them is read from its date", basis="inferred",
    ),
    _row(
        "command", any_of="a", dialects="cohere_command3", vllm="cohere_command3",
        vllm_reasoning="cohere_command3", llamacpp="built in",
        ollama="PARSER cohere (newer) or template lists .Tools",
        note="documented for command-a-reasoning; needs the cohere_melody package",
    ),
    _row(
        "command", any_of="r", max_size=8_000_000_000, dialects="cohere_command3", vllm="cohere_command3",
        vllm_reasoning="cohere_command3", llamacpp="built in",
        ollama="PARSER cohere (newer) or template lists .Tools",
    ),
    _row(
        "command", any_of="r", dialects="command_r_plus", llamacpp="generic format",
        ollama="PARSER cohere (newer) or template lists .Tools", note="writes Action: and a JSON fence",
    ),
    _row("jamba", dialects="jamba", vllm="jamba", llamacpp="generic format"),
    _row(
        "internlm", ">=2.5", dialects="internlm", vllm="internlm",
        vllm_template="tool_chat_template_internlm2_tool.jinja",
    ),
    _row(
        "phi", ">=4", any_of="mini", dialects="phi4_mini_json", vllm="phi4_mini_json", llamacpp="built in",
        ollama="template lists .Tools (phi4-mini)", basis="registry",
    ),
    _row(
        "phi", llamacpp="generic format",
        note="phi-4 (14B) and Phi-3.x: no tools in the template; validated strategy",
    ),
    _row(
        "olmo", ">=3", dialects="olmo3", vllm="olmo3", vllm_reasoning="olmo3",
        ollama="PARSER olmo3 or olmo3-think", note="reasoning parser for the Think checkpoints",
    ),
    _row(
        "apertus", dialects="apertus", vllm="apertus", vllm_template="tool_chat_template_apertus.jinja",
        sglang="apertus2509", sglang_reasoning="apertus2509", llamacpp="built in",
    ),
    _row("gigachat", ">=3,<3.5", dialects="gigachat3", vllm="gigachat3", sglang="gigachat3", llamacpp="built in"),
    _row(
        "gigachat", ">=3.5", dialects="gigachat35", sglang="gigachat35", sglang_reasoning="gigachat35",
        basis="registry",
    ),
    _row(
        "hunyuan", ">=4", dialects="hy_v4", vllm="hy_v4", vllm_reasoning="hy_v4", sglang="hunyuan",
        sglang_reasoning="hunyuan", basis="registry",
    ),
    _row(
        "hunyuan", ">=3,<4", dialects="hy_v3", vllm="hy_v3", vllm_reasoning="hy_v3", sglang="hunyuan",
        sglang_reasoning="hunyuan", basis="registry",
    ),
    _row(
        "hunyuan", dialects="hunyuan_a13b", vllm="hunyuan_a13b", vllm_reasoning="hunyuan_a13b",
        sglang="hunyuan", sglang_reasoning="hunyuan",
    ),
    _row(
        "ernie", ">=4.5,<5", dialects="ernie45", vllm="ernie45", vllm_reasoning="ernie45",
        note="tools with the -Thinking checkpoint; the VL checkpoints reason but do not call tools",
    ),
    _row("longcat", dialects="longcat", vllm="longcat"),
    _row(
        "seed-oss", dialects="seed_oss", vllm="seed_oss", vllm_reasoning="seed_oss", llamacpp="built in",
        basis="registry",
    ),
    _row(
        "step", ">=5", dialects="qwen3_coder", vllm="step5", vllm_reasoning="step5", basis="registry",
        note="Qwen3-Coder's XML with the content's whitespace kept; SGLang 0.5.23 knows no Step-5",
    ),
    _row(
        "step", ">=3.5,<5", dialects="step3p5", vllm="step3p5", vllm_reasoning="step3p5", sglang="step3p5",
        sglang_reasoning="step3p5", basis="registry",
    ),
    _row(
        "step", ">=3,<3.5", any_of="vl", dialects="hermes", vllm="hermes", vllm_reasoning="deepseek_r1",
        sglang="hermes", sglang_reasoning="deepseek-r1",
        note="Step3-VL stands on Qwen3 (SGLang's cookbook, August 2026)",
    ),
    _row(
        "step", ">=3,<3.5", dialects="step3", vllm="step3", vllm_reasoning="step3", sglang="step3",
        sglang_reasoning="step3",
    ),
    _row(
        "mimo", dialects="mimo", vllm="mimo", vllm_reasoning="mimo", sglang="mimo", sglang_reasoning="mimo",
        also="qwen3_coder qwen3_xml", basis="registry",
        note="the parsers of Qwen3-Coder read it, too, and trim line breaks (vLLM's recipes, August 2026)",
    ),
    _row(
        "lfm", ">=2", dialects="lfm2", vllm="lfm2", sglang="lfm2", llamacpp="built in",
        ollama="PARSER lfm2 or lfm2-thinking", basis="registry",
    ),
    _row(
        "ling", ">=3", dialects="ling3", vllm="ling3", vllm_reasoning="ling3", sglang="ling3",
        sglang_reasoning="ling3", llamacpp="built in", basis="registry",
    ),
    _row(
        "ring", ">=3", dialects="ling3", vllm="ling3", vllm_reasoning="ling3", sglang="ling3",
        sglang_reasoning="ling3", llamacpp="built in", basis="registry",
    ),
    _row("minicpm", ">=5", dialects="minicpm5", vllm="minicpm5", sglang="minicpm5", llamacpp="built in",
         basis="registry"),
    _row(
        "muse", dialects="muse", vllm="muse", vllm_reasoning="muse", sglang="muse", sglang_reasoning="muse",
        llamacpp="built in", ollama="PARSER glimmer", basis="registry",
    ),
    _row("falcon", ">=3", dialects="hermes", vllm="hermes", llamacpp="built in", basis="inferred"),
    _row(
        "cogito", dialects="hermes", vllm="hermes", ollama="PARSER cogito or template lists .Tools",
        basis="inferred",
    ),
    _row("smollm", ">=3", dialects="hermes", vllm="hermes", llamacpp="built in", basis="inferred"),
    _row(
        "laguna", dialects="poolside_v1", vllm="poolside_v1", vllm_reasoning="poolside_v1", sglang="poolside_v1",
        sglang_reasoning="poolside_v1", basis="registry",
    ),
    _row(
        "trinity", any_of="thinking", dialects="qwen3_coder", vllm="qwen3_coder", vllm_reasoning="deepseek_r1",
        sglang="qwen3_coder", sglang_reasoning="deepseek-r1",
        note="Trinity-Large-Thinking (vLLM's recipes, August 2026)",
    ),
    _row(
        "trinity", dialects="trinity", vllm="hermes", vllm_reasoning="deepseek_r1", sglang="trinity", basis="registry",
        note="its calls are those of Hermes; SGLang's trinity is its Qwen25 class",
    ),
    _row(
        "inkling", dialects="inkling", vllm="inkling", vllm_reasoning="inkling", sglang="inkling",
        sglang_reasoning="inkling", basis="registry",
        note="vLLM's parser does not constrain named and required tool choice",
    ),
    _row("plamo", ">=3", dialects="plamo3", vllm="plamo3", vllm_reasoning="plamo3", basis="registry"),
    _row(
        "beam", dialects="beam", vllm="beam", vllm_reasoning="beam", sglang="beam", sglang_reasoning="beam",
        basis="registry", note="Harmony's channels with <rfl:parameter name=…> inside; not gpt-oss",
    ),
    _row(
        "dots", dialects="dots", vllm="dots", sglang="dots", sglang_reasoning="dots", basis="registry",
        note="vLLM has no reasoning parser of that name",
    ),
    _row(
        "k2-horizon", dialects="k2_horizon", vllm="k2_horizon", vllm_reasoning="k2_horizon", sglang="k2_horizon",
        sglang_reasoning="k2_horizon", basis="registry", note="LLM360's K2; not Kimi K2",
    ),
    _row(
        "intern-s1", ">=2", dialects="qwen3_coder", vllm="qwen3_coder", vllm_reasoning="qwen3", sglang="qwen3_coder",
        sglang_reasoning="qwen3", note="Intern-S2 (vLLM's recipes, August 2026)",
    ),
    _row(
        "intern-s1", dialects="internlm", vllm="internlm", vllm_reasoning="deepseek_r1", sglang="interns1",
        sglang_reasoning="interns1",
        basis="inferred", note="SGLang has one detector for InternLM2 and Intern-S1; vLLM reads the same markers",
    ),
    _row(
        "iquest", none_of="coder code", dialects="iquest_q1", sglang="iquest_q1", sglang_reasoning="iquest_q1",
        basis="registry", note="IQuest-Q1 only; IQuest-Coder loads as Llama and has no parser of its own",
    ),
    _row(
        "nanbeige", dialects="qwen3_coder", vllm="qwen3_coder", sglang="nanbeige", sglang_reasoning="nanbeige",
        basis="inferred", note="vLLM registers no name of its own; SGLang's nanbeige is its Qwen3-Coder class",
    ),
    _row(
        "mellum", ">=2", dialects="hermes", vllm="hermes", sglang="hermes",
        note="Mellum2 (vLLM's recipes, August 2026); the Thinking one with --reasoning-parser qwen3",
    ),
    _row("holo", vllm_reasoning="holo2", basis="registry"),
    _row("spark", ">=2.5", dialects="spark25", sglang="spark25", basis="registry"),
    _row("apriel", dialects="apriel", llamacpp="built in", basis="inferred"),
)
# fmt: on
