"""What goes back to the model about an answer whose calls cannot be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.calls import NOT_MEANT
from utp_cli.validation.retry import retry_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool


def retry(result: ParseResult, tools: Mapping[str, Tool]) -> str:
    """Write a message for each call that cannot be run, an empty line between them; `""` where all can.

    That a person must agree is nothing the model can mend, and is left out.
    """
    # What the model may not have meant to send is told only where it sent no call.
    drafts = not result.calls and all(call.reason in NOT_MEANT for call in result.rejected)
    calls = [*result.calls, *(call for call in result.rejected if drafts or call.reason not in NOT_MEANT)]
    told = [(call, [problem for problem in call.problems if problem.code != "confirmation"]) for call in calls]
    messages = (retry_message(call, problems, tools) for call, problems in told)
    return "".join(f"{text}\n" for text in ["\n\n".join(message for message in messages if message)] if text)
