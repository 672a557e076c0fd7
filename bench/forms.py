"""Write fixtures/captures/forms.jsonl: three full pastes of each form, by the real libraries where they print it.

Run by hand: `python bench/forms.py NODE_MODULES_FOLDER`, with openai, anthropic, google-genai, ollama, litellm,
langchain-core, langgraph, pydantic-ai-slim, boto3, mcp, llama-index-core, loguru, structlog and rich installed, and a
folder with `npm i ai` in it. What is expected is what was put in; nothing here asks utp.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import forms_answers as answers
import forms_errors as errors

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "captures"


def node(script: str, value: object) -> str:
    """Run a script of Node with `value` at hand."""
    code = f"const util = require('node:util'); const value = JSON.parse(process.argv[1]);\n{script}"
    done = subprocess.run(["node", "-e", code, json.dumps(value)], capture_output=True, text=True, check=True,
                          cwd=sys.argv[1])  # fmt: skip
    return done.stdout.rstrip("\n")


def elsewhere(text: str) -> str:
    """Move the files that a traceback names to a folder of the same length, so that boxes keep their width."""
    for folder in (Path(__file__).resolve().parent, Path(sys.prefix)):
        text = text.replace(str(folder), "/home/dev/assistants/weather/application".ljust(99, "n")[: len(str(folder))])
    return text


def main() -> None:
    rows = [*errors.rows(node), *answers.rows(node)]
    for row in rows:
        row["paste"] = elsewhere(row["paste"])
    rows.sort(key=lambda row: int(row["form"].split("-")[0]))
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "forms.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(len(rows), "pastes of", len({row["form"] for row in rows}), "forms")


if __name__ == "__main__":
    main()
