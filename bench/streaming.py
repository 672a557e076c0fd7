"""A long argument in small pieces: what streaming costs over collecting the pieces and parsing once."""

from __future__ import annotations

import time

from utp_cli import Parser, parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls

SIZE, PIECE = 200_000, 4
NAMES = ("hermes", "qwen3_coder", "minimax_m2", "deepseek_v31", "kimi_k2", "glm45", "mistral", "openai", "gemma4",
         "pythonic", "llama3_json", "mcp_xml")  # fmt: skip


def best(run, times: int = 3) -> float:
    """Return the shortest of several runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    text = ("def f(x):\n    return \"x\" + 'y'  # <b> & {z}\n" * (SIZE // 45))[:SIZE]
    for name in NAMES:
        dialect = DIALECTS[name]
        written = write_calls(dialect, [{"name": "write", "arguments": {"text": text}}])
        pieces = [written[at : at + PIECE] for at in range(0, len(written), PIECE)]

        def collected(pieces=pieces, name=name) -> None:
            held = []
            for piece in pieces:
                held.append(piece)
            parse("".join(held), parser=name)

        def streamed(pieces=pieces, name=name) -> None:
            parser = Parser(parser=name)
            for piece in pieces:
                parser.feed(piece)
            parser.close()

        once, live = best(collected), best(streamed)
        per_piece = live / len(pieces) * 1e6
        print(
            f"{name:14} whole {once * 1e3:8.1f} ms   streamed {live * 1e3:8.1f} ms   {live / once:6.1f}x   {per_piece:5.1f} us a piece"
        )


if __name__ == "__main__":
    main()
