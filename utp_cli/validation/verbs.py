"""What the verbs in a tool's name do: read, write, destroy."""

from __future__ import annotations

from typing import Final


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


READ: Final = _set(
    "search list get find read query fetch check validate inspect analyze count exists show view describe lookup"
    " download preview diff status compare calculate"
)
WRITE: Final = _set(
    "write create update delete modify set post put patch remove add insert append move rename copy execute run"
    " install uninstall edit send upload commit push merge drop reset save clear close cancel assign publish submit"
)
DESTRUCTIVE: Final = _set(
    "delete remove drop destroy purge truncate wipe erase overwrite reset revoke uninstall kill clear"
)
