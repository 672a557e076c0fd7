"""Wrong use of the public functions and of the records of dialects, for mypy: what it does not refuse here is an unused ignore, and fails the check.

Nothing imports this.
"""

from __future__ import annotations

from utp_cli import Parser, audit, diagnose, parse, plan_calls, preflight, render_tools, repair_json, replay, rewrite
from utp_cli.dialects.bodies import DelimitedBody, InvokeBody, JsonBody
from utp_cli.dialects.spec import Dialect

parse("x", tool=[])  # type: ignore[call-arg]
parse("x", None)  # type: ignore[call-arg]
parse("x", tools=5)  # type: ignore[arg-type]
parse("x", tools=[5])  # type: ignore[list-item]
parse("x", model=5)  # type: ignore[arg-type]
parse("x", min_confidence="sure")  # type: ignore[arg-type]
name = parse("x").calls[0].nmae  # type: ignore[attr-defined]
parse("x").content = ""  # type: ignore[misc]
Parser(tool=[])  # type: ignore[call-arg]
kind = Parser().feed("x")[0].typ  # type: ignore[attr-defined]
diagnose("x", kind=5)  # type: ignore[arg-type]
audit()  # type: ignore[call-arg]
audit([], threshold=1)  # type: ignore[call-arg]
render_tools([], strict="yes")  # type: ignore[arg-type]
replay({}, rounds=3)  # type: ignore[call-arg]
preflight("f", [])  # type: ignore[arg-type]
rewrite("x")  # type: ignore[arg-type]
plan_calls([{"name": "f"}])  # type: ignore[list-item]
repair_json({})  # type: ignore[arg-type]
count: str = len(parse("x").calls)  # type: ignore[assignment]

DelimitedBody(quote='"', name_keys=("name",))  # type: ignore[call-arg]
InvokeBody()  # type: ignore[call-arg]
Dialect(name="acme", body=JsonBody(), call_open=("<act>",), quote='"')  # type: ignore[call-arg]
