"""What was changed in an answer on its way, and which setting would make that unnecessary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Heal:
    """One change, or (`left`) one call that was seen and left as it is."""

    code: str
    """`text-to-call`, `arguments`, `ids`, `pieces`, `indexes`, `finish`, `usage`, `output`, `error-to-answer`: changed.
    `left`: a call in the text was seen and stays there. `passed`: the answer passes as it is, whatever it holds."""
    message: str
    name: str | None = None
    """The tool of the call, where the change is one call's."""
    id: str | None = None
    """The id of the call as the client gets it."""
    dialect: str | None = None
    """How the model wrote the call, where it stood in a text."""
    raw: str = ""
    """What the model wrote in place of the call: the markup, or the arguments as they came. Of calls that stand in one
    markup the first has all of it, the others nothing."""
    repairs: tuple[str, ...] = ()
    """Codes of the repairs to the call, each once."""
    cause: str | None = None
    """The code of the diagnosis that tells why."""
    settings: tuple[str, ...] = ()
    """What to set on the server so that nothing is to be healed."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as a JSON object, with every key."""
        return {
            "code": self.code,
            "message": self.message,
            "name": self.name,
            "id": self.id,
            "dialect": self.dialect,
            "raw": self.raw,
            "repairs": list(self.repairs),
            "cause": self.cause,
            "settings": list(self.settings),
        }


def passes(why: str) -> Heal:
    """Tell that nothing is changed."""
    return Heal(code="passed", message=f"the answer passes as it is: {why}")
