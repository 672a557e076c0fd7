"""Errors as loggers, exceptions and servers print them: forms 1 to 34, 54, 57, 59, 62, 67."""
# ruff: noqa: PLC0415, SLF001, TRY301, BLE001 - a library is loaded by the form that it prints; what it raises is printed

from __future__ import annotations

import io
import json
import logging
import traceback
from importlib.metadata import version
from typing import Any

ERRORS = (
    {"message": "Invalid 'messages[8].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
     "type": "invalid_request_error", "param": "messages[8].tool_calls", "code": "empty_array"},
    {"message": "messages.7: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A9. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
     "type": "invalid_request_error", "param": None, "code": None},
    {"message": "Invalid schema for function 'get_weather': In context=('properties', 'städte'), \"array\" schema missing items.\nSee the docs.",
     "type": "invalid_request_error", "param": "tools[0].function.parameters", "code": "invalid_function_parameters"},
)  # fmt: skip
SAYS = (["messages[8].tool_calls", "empty array"], ["tool_use", "toolu_01A9"], ["get_weather", "schema missing items"])
STAMP = "2026-11-20 10:12:33,480"


def body(error: dict[str, Any]) -> dict[str, Any]:
    return {"error": error}


def compact(error: dict[str, Any]) -> str:
    return json.dumps(body(error), ensure_ascii=False)


def flat(error: dict[str, Any]) -> dict[str, Any]:
    """The error of vLLM: flat, as FastAPI sent it."""
    return {
        "object": "error",
        "message": error["message"],
        "type": "BadRequestError",
        "param": error["param"],
        "code": 400,
    }


# -- exceptions --------------------------------------------------------------------------------------------------


def openai_error(error):
    import httpx
    import openai

    request = httpx.Request("POST", "https://api.openai.com/v1/chat/completions")
    response = httpx.Response(400, request=request, json=body(error))
    made = openai.OpenAI(api_key="none")._make_status_error_from_response(response)
    assert isinstance(made, openai.BadRequestError)
    return made


def raised(error: BaseException, cause: BaseException | None = None) -> str:
    """The traceback of an exception that was really raised."""
    try:
        if cause is None:
            raise error
        try:
            raise cause
        except BaseException as first:
            raise error from first
    except BaseException:
        return traceback.format_exc()


def anthropic_error(error):
    import anthropic
    import httpx

    request = httpx.Request("POST", "https://api.anthropic.com/v1/messages")
    said = {"type": "error", "error": {"type": error["type"], "message": error["message"]}, "request_id": "req_01"}
    response = httpx.Response(400, request=request, json=said)
    return anthropic.Anthropic(api_key="none")._make_status_error_from_response(response)


def boto_error(error):
    import boto3

    client = boto3.client("bedrock-runtime", region_name="eu-north-1", aws_access_key_id="x", aws_secret_access_key="x")
    return client.exceptions.ValidationException(
        {"Error": {"Code": "ValidationException", "Message": error["message"]}}, "Converse"
    )


def logged(error, formatter: str | None) -> str:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter(formatter))
    record = logging.LogRecord(
        "app.llm" if "asctime" in formatter else "root", logging.ERROR, "app.py", 3, str(openai_error(error)), (), None
    )
    handler.emit(record)
    return out.getvalue()


def loguru_line(error) -> str:
    from loguru import logger

    out = io.StringIO()
    logger.remove()
    logger.add(out, colorize=False)
    logger.error("{}", openai_error(error))
    return out.getvalue()


def structlog_line(error) -> str:
    import structlog

    return str(
        structlog.processors.JSONRenderer()(
            None, "error", {"level": "error", "event": "call failed", "err": str(openai_error(error))}
        )
    )


def rich_box(error) -> str:
    from rich.console import Console
    from rich.traceback import Traceback

    out = io.StringIO()
    try:
        raise openai_error(error)
    except Exception:
        Console(file=out, width=100).print(Traceback())
    return out.getvalue()


def chained(error) -> str:
    from pydantic_ai.exceptions import UnexpectedModelBehavior

    return raised(UnexpectedModelBehavior("Exceeded maximum retries (1) for output validation"), openai_error(error))


def group(error) -> str:
    return raised(ExceptionGroup("unhandled errors in a TaskGroup (1 sub-exception)", [openai_error(error)]))


def prefixed(prefix: str, text: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def langgraph_tail(number: int) -> tuple[str, list[str]]:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langgraph.prebuilt import create_react_agent

    name = ("get_weather", "write_file", "search")[number]
    call = {
        "name": name,
        "args": ({"city": "Oslo"}, {"content": 'it\'s\n"x"'}, {"q": "日本"})[number],
        "id": f"call_7Lg{number}",
        "type": "tool_call",
    }
    agent = create_react_agent(GenericFakeChatModel(messages=iter([])), [])
    try:
        agent.invoke({"messages": [HumanMessage("go"), AIMessage(content="", tool_calls=[call]), HumanMessage("on")]})
    except Exception:
        return traceback.format_exc(), [f"call_7Lg{number}"]
    raise AssertionError


def pydantic_error(number: int) -> tuple[str, list[str]]:
    from pydantic import ValidationError, create_model

    name, given, wrong = (
        ("get_weather", {"city": (str, ...)}, {"cit": 1}),
        ("write_file", {"path": (str, ...), "mode": (int, ...)}, {"path": "a.py", "mode": "it's"}),
        ("search", {"limit": (int, 5), "tags": (list[str], ...)}, {"limit": 2, "tags": "a,b"}),
    )[number]
    try:
        create_model(name, **given)(**wrong)
    except ValidationError as failed:
        return str(failed), [name, ("city", "mode", "tags")[number]]
    raise AssertionError


def sdk_error_in_node(node, error) -> str:
    script = """
    const {APICallError} = require('ai');
    const made = new APICallError({message: value.error.message, url: 'https://api.openai.com/v1/chat/completions', statusCode: 400,
      requestBodyValues: {model: 'gpt-5', messages: [{role: 'user', content: "it's"}]}, responseHeaders: {'content-type': 'application/json'},
      responseBody: JSON.stringify(value), isRetryable: false, data: value});
    console.log(made);"""
    return node(script, body(error))


def invalid_input_in_node(node, number: int) -> tuple[str, list[Any], list[str]]:
    name, given, path = (
        ("get_weather", {"cit": 1}, "city"),
        ("write_file", {"path": "it's.py"}, "content"),
        ("search", {"q": '"日本"\n'}, "query"),
    )[number]
    script = """
    const {InvalidToolInputError, TypeValidationError} = require('ai');
    const cause = TypeValidationError.wrap({value: value.given, cause: new Error(JSON.stringify([{expected: 'string', code: 'invalid_type', path: [value.path], message: 'Invalid input'}], null, 2))});
    const made = new InvalidToolInputError({toolName: value.name, toolInput: JSON.stringify(value.given), cause});
    console.log(value.whole ? made : String(made));"""
    printed = node(script, {"name": name, "given": given, "path": path, "whole": number == 2})
    return printed, [{"name": name, "arguments": given}], [name, path]


# -- results and retries that are objects -------------------------------------------------------------------------


def tool_message(number: int):
    from langchain_core.messages import ToolMessage

    wrong, right = (("get_wether", "get_weather"), ("write-file", "write_file"), ("Search", "search"))[number]
    text = f"Error: {wrong} is not a valid tool, try one of [{right}]."
    return repr(ToolMessage(content=text, name=wrong, tool_call_id=f"c{number}", status="error")), [wrong, right]


def invalid_call(number: int):
    from langchain_core.messages import AIMessage

    args = ('{"path": "a.py", "content": "x', '{"city": "Oslo", "note": "it\'s', '{"q": "a \\"b\\"", "tags": ["x", ')[
        number
    ]
    call = {
        "type": "invalid_tool_call",
        "id": f"call_{number}",
        "name": "write_file",
        "args": args,
        "error": "Function write_file arguments are not valid JSON.",
    }
    return repr(AIMessage(content="", invalid_tool_calls=[call])), ["write_file"]


def retry_part(number: int):
    from pydantic_ai.messages import RetryPromptPart

    given, loc = (({"cit": 1}, "city"), ({"path": "it's"}, "content"), ({"q": "日本\n"}, "limit"))[number]
    said = [{"type": "missing", "loc": (loc,), "msg": "Field required", "input": given}]
    return repr(RetryPromptPart(content=said, tool_name="get_weather", tool_call_id=f"call_{number}")), [
        "get_weather",
        loc,
    ]


def mcp_result(number: int):
    from mcp.types import CallToolResult, TextContent

    text = (
        "Unknown tool: get_wether",
        "Error executing tool write_file: it's read-only",
        'Input validation error: "städte" is required\n',
    )[number]
    word = ("get_wether", "read-only", "is required")[number]
    return repr(CallToolResult(content=[TextContent(type="text", text=text)], isError=True)), [word]


# -- forms by hand -------------------------------------------------------------------------------------------------


def curl(error, verbose: bool) -> str:
    headers = "HTTP/2 400\ncontent-type: application/json\nx-request-id: req_7\n"
    if not verbose:
        return f"{headers}\n{json.dumps(body(error), indent=2)}\n"
    sent = "> POST /v1/chat/completions HTTP/2\n> Host: api.openai.com\n> Accept: */*\n>\n* upload completely sent off: 512 bytes\n"
    return (
        sent
        + prefixed("< ", headers)
        + "<\n{ [512 bytes data]\n* Connection #0 to host api.openai.com left intact\n"
        + compact(error)
        + "\n"
    )


def issue_form(error) -> str:
    inner = json.dumps(
        {"error": {"message": json.dumps(body(error), indent=2), "code": 400, "status": "Bad Request"}}, indent=2
    )
    return f"**Error Details**\n\nModel: Gemini 3 Pro\nProvider: gemini\nStatus Code: N/A\n\n**Error Output**\n\n```\n{inner}\n```\n"


def openrouter_go(error) -> str:
    said = {
        "message": "Provider returned error",
        "code": 400,
        "metadata": {"raw": json.dumps(flat(error)), "provider_name": "Novita"},
    }
    return f'Error: POST "https://openrouter.ai/api/v1/chat/completions": 400 Bad Request {json.dumps(said)}'


def github_actions(error) -> str:
    lines = raised(openai_error(error)).splitlines()
    stamped = [f"2026-11-20T10:12:33.4801{n:03}Z {line}\n" for n, line in enumerate(lines[:-1])]
    return "".join(stamped) + f"2026-11-20T10:12:33.4809999Z ##[error]{lines[-1]}\n"


def java_trace(error) -> str:
    return (f"dev.langchain4j.exception.InvalidRequestException: {error['message']} (Service: BedrockRuntime, Status Code: 400, Request ID: 7c1d)\n"
            "\tat dev.langchain4j.internal.ExceptionMapper$DefaultExceptionMapper.mapException(ExceptionMapper.java:62)\n\t... 31 more\n")  # fmt: skip


def litellm_request(number: int) -> str:
    messages = [{"role": "user", "content": ('it\'s "me"', "Zeile 1\nZeile 2", "日本")[number]}]
    tools = [
        {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}
    ]
    given = {"model": "gpt-4o", "messages": messages, "tools": tools, "stream": False}
    return f"\n\nPOST Request Sent from LiteLLM:\ncurl -X POST \\\nhttps://api.openai.com/v1/ \\\n-H 'Authorization: Be****3Q' \\\n-d '{given}'\n"


def error_forms(node):
    """Number and slug → how an error is printed, and by whom."""
    vllm = "(APIServer pid=41) ERROR 11-20 10:12:33 [serving_chat.py:271] "
    return [
        ("1-logging", lambda e: logged(e, "%(asctime)s - %(name)s - %(levelname)s - %(message)s"), "openai"),
        ("2-logging-default", lambda e: logged(e, "%(levelname)s:%(name)s:%(message)s"), "openai"),
        ("4-uvicorn-exception", lambda e: "ERROR:    Exception in ASGI application\n" + raised(openai_error(e)), "openai"),
        ("5-vllm", lambda e: prefixed(vllm, "Error in preprocessing prompt inputs\n" + raised(ValueError(e["message"]))), None),
        ("7-llamacpp", lambda e: f"srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 500\ngot exception: {json.dumps({'error': {'code': 500, 'message': e['message'], 'type': 'server_error'}})}\n", None),
        ("8-ollama", lambda e: f'time=2026-11-20T10:12:33.480+01:00 level=WARN source=routes.go:410 msg="chat failed" error={json.dumps(compact(e), ensure_ascii=False)}\n', None),
        ("10-docker-compose", lambda e: prefixed("vllm-1  | ", json.dumps(body(e), indent=2)), None),
        ("11-journald", lambda e: f"Nov 20 10:12:33 host ollama[812]: {compact(e)}\n", None),
        ("12-kubectl", lambda e: f"[pod/vllm-0/server] 2026-11-20T10:12:33Z {json.dumps(flat(e))}\n", None),
        ("13-github-actions", github_actions, "openai"),
        ("14-json-lines", structlog_line, "structlog"),
        ("15-loguru", loguru_line, "loguru"),
        ("16-rich-box", rich_box, "rich"),
        ("20-one-liner", lambda e: f"openai.BadRequestError: {openai_error(e)}", "openai"),
        ("21-exception-repr", lambda e: repr(openai_error(e)), "openai"),
        ("22-traceback", lambda e: raised(anthropic_error(e)), "anthropic"),
        ("23-chained", chained, "pydantic-ai-slim"),
        ("24-exception-group", group, "openai"),
        ("27-js-error", lambda e: sdk_error_in_node(node, e), "node 20, ai"),
        ("29-boto3", lambda e: raised(boto_error(e)).splitlines()[-1 - e["message"].count("\n")] if "\n" not in e["message"] else raised(boto_error(e)), "boto3"),
        ("30-java", java_trace, None),
        ("31-go-openrouter", openrouter_go, None),
        ("32-rust", lambda e: f"Error: the request failed\n\nCaused by:\n    0: HTTP status client error: {compact(e)}\n    1: Invalid Status Code: 400 {compact(e)}\n", None),
        ("33-csharp", lambda e: f"System.ClientModel.ClientResultException: HTTP 400 ({e['type']}: {e['code'] or ''})\nParameter: {e['param'] or ''}\n\n{e['message']}\n   at OpenAI.ClientPipelineExtensions.ProcessMessageAsync()\n", None),
        ("34-issue-form", issue_form, None),
        ("67-curl-i", lambda e: curl(e, verbose=False), None),
        ("67-curl-v", lambda e: curl(e, verbose=True), None),
    ]  # fmt: skip


STATUS_ONLY = (
    ("3-uvicorn", 'INFO:     127.0.0.1:51234 - "POST /v1/chat/completions HTTP/1.1" {} Bad Request\n'),
    ("9-gin", '[GIN] 2026/11/20 - 10:12:33 | {} |    1.2ms |       127.0.0.1 | POST     "/api/chat"\n'),
)
PARSER_FAILED = "ERROR 11-20 10:12:33 [hermes_tool_parser.py:142] Error in extracting tool call from response.\n"
CHOSEN: tuple[tuple[str, Any, str, str], ...] = (
    ("25-langgraph", langgraph_tail, "error", "langgraph"),
    ("26-pydantic", pydantic_error, "error", "pydantic"),
    ("54-invalid-calls", invalid_call, "answer", "langchain-core"),
    ("57-tool-message", tool_message, "result", "langchain-core"),
    ("59-pydantic-ai-retry", retry_part, "result", "pydantic-ai-slim"),
    ("62-mcp-result", mcp_result, "result", "mcp"),
)


def row(form, number, paste, kind, *, says=None, calls=None, by=None):
    printed_by = by if by is None or by.startswith("node") else f"{by} {version(by)}"
    return {"id": f"{form}-{number + 1}", "form": form, "paste": paste, "calls": calls, "kind": kind, "says": says,
            "cut": False, "printed_by": printed_by}  # fmt: skip


def rows(node):
    for form, printer, by in error_forms(node):
        for number, error in enumerate(ERRORS):
            yield row(form, number, printer(error), "error", says=SAYS[number], by=by)
    for form, printer, kind, by in CHOSEN:
        for number in range(3):
            paste, says = printer(number)
            yield row(form, number, paste, kind, says=says, by=by)
    for number, status in enumerate((400, 404, 500)):
        for form, line in STATUS_ONLY:
            yield row(form, number, line.format(status), "log", says=[str(status)])
        hint = (
            "Expecting ',' delimiter: line 1 column 40 (char 39)",
            "Extra data: line 1 column 16 (char 15)",
            "Unterminated string starting at: line 1 column 12 (char 11)",
        )[number]
        trace = f'Traceback (most recent call last):\n  File "hermes_tool_parser.py", line 133, in extract_tool_calls\njson.decoder.JSONDecodeError: {hint}\n'
        yield row("6-vllm-parser", number, PARSER_FAILED + trace, "error", says=["extracting tool call"])
        yield row("18-litellm-request", number, litellm_request(number), "request")
        paste, calls, says = invalid_input_in_node(node, number)
        yield row("28-invalid-input", number, paste, "error", calls=calls, says=says, by="node 20, ai")
