"""What tool names do: verbs that read, write, destroy; verbs that mean the same."""

from __future__ import annotations

from utp_cli.auditing.words import word_set
from utp_cli.validation.verbs import DESTRUCTIVE, READ, WRITE

CREATING = word_set("create add append insert send post increment")
"""Verbs that do something new each time."""
FAMILIES = (
    "get fetch retrieve read load",
    "delete remove erase destroy",
    "create add new insert",
    "update edit modify change",
    "list enumerate",
    "search find lookup query",
    "send post publish",
    "run execute invoke",
)
"""Verbs of one line mean the same in a tool's name."""
FAMILY_OF = {verb: line.split()[0] for line in FAMILIES for verb in line.split()}
VERBS = (
    READ
    | WRITE
    | DESTRUCTIVE
    | FAMILY_OF.keys()
    | word_set(
        "do call process handle generate make build start stop open connect convert extract export import"
        " apply enable disable archive restore share invite reply mark toggle plan ship pay book cancel"
        " approve reject ask tell explain summarize translate resolve test help navigate click type press"
        " select wait take use"
    )
)
GENERIC_NAMES = word_set(
    "run execute search get set query do call tool action process handle fetch list update create"
    " delete read write send test help"
)
