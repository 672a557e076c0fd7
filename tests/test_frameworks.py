"""The hooks for frameworks, with the real packages where they are installed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from functools import partial
from typing import Any

import httpx
import pytest

from utp_cli.healing import transport
from utp_cli.plugins import litellm_hooks, openai_agents_hooks, pydantic_ai_hooks
from utp_cli.plugins.langchain_hooks import heal_message, heal_middleware

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": "3",}}\n</tool_call>'
TOOL = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
WANTED = {"city": "Oslo", "days": 3}


def message(**known: Any) -> Any:
    return pytest.importorskip("langchain_core.messages").AIMessage(**{"content": "", **known})


def test_a_call_in_the_text() -> None:
    healed = heal_message(message(content=f"Let me look.\n{CALL}", id="m1"), [TOOL])
    (call,) = healed.tool_calls
    assert (call["name"], call["args"]) == ("get_weather", WANTED)
    assert healed.content.strip() == "Let me look."
    assert healed.id == "m1"


def test_a_call_that_langchain_could_not_read() -> None:
    broken = {"name": "get_weather", "args": '{"city": "Oslo", "days": 3,}', "id": "c1", "error": "no JSON"}
    healed = heal_message(message(invalid_tool_calls=[{**broken, "type": "invalid_tool_call"}]), [TOOL])
    assert healed.tool_calls == [{"name": "get_weather", "args": WANTED, "id": "c1", "type": "tool_call"}]
    assert healed.invalid_tool_calls == []


@pytest.mark.parametrize("text", ["Nothing to do.", f"Write it like this:\n```\n{CALL}\n```\nThen wait.", CALL[:40]])
def test_what_is_no_call_is_the_same_object(text: str) -> None:
    given = message(content=text)
    assert heal_message(given, [TOOL]) is given


def test_other_messages_pass() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    for given in (messages.HumanMessage(CALL), message(content=[{"type": "text", "text": CALL}])):
        assert heal_message(given, [TOOL]) is given


def test_behind_a_model() -> None:
    runnables = pytest.importorskip("langchain_core.runnables")
    chain = runnables.RunnableLambda(lambda _: message(content=CALL)) | runnables.RunnableLambda(
        partial(heal_message, tools=[TOOL])
    )
    assert chain.invoke("Go on.").tool_calls[0]["args"] == WANTED


def test_in_an_agent() -> None:
    agents = pytest.importorskip("langchain.agents")
    fakes = pytest.importorskip("langchain_core.language_models.fake_chat_models")

    class Model(fakes.GenericFakeChatModel):  # type: ignore[misc,name-defined]
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

    for run in ("invoke", "ainvoke"):
        model = Model(messages=iter([message(content=CALL), message(content="Rain.")]))
        agent = agents.create_agent(model, [get_weather], middleware=[heal_middleware()])
        asked = {"messages": [{"role": "user", "content": "Weather?"}]}
        done = agent.invoke(asked) if run == "invoke" else asyncio.run(agent.ainvoke(asked))
        assert [each.content for each in done["messages"] if each.type == "tool"] == ["Oslo: 4"]


def client(library: Any) -> Any:
    """A client of httpx or httpx2 that heals; its server says a call in the text, and then that it rains."""
    said = iter([f"Let me look.\n{CALL}", "Rain."])

    def answer(request: Any) -> Any:
        assert request.url.path.endswith("/chat/completions")
        message = {"role": "assistant", "content": next(said)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        return library.Response(200, json=body)

    return library.AsyncClient(transport=transport(library.MockTransport(answer)))


def get_weather(city: str, days: int = 1) -> str:
    """Get the weather."""
    return f"{city}: {days + 1}"


def test_openai_agents() -> None:
    agents, openai = pytest.importorskip("agents"), pytest.importorskip("openai")
    agents.set_tracing_disabled(True)
    model = agents.OpenAIChatCompletionsModel(
        model="m", openai_client=openai.AsyncOpenAI(api_key="k", base_url="http://server/v1", http_client=client(httpx))
    )
    agent = agents.Agent(name="a", model=model, tools=[agents.function_tool(get_weather)])
    done = asyncio.run(agents.Runner.run(agent, "Weather?"))
    assert [each.output for each in done.new_items if each.type == "tool_call_output_item"] == ["Oslo: 4"]
    assert done.final_output == "Rain."


def test_pydantic_ai() -> None:
    pydantic_ai, models = pytest.importorskip("pydantic_ai"), pytest.importorskip("pydantic_ai.models.openai")
    library = pytest.importorskip("httpx2")
    providers = pytest.importorskip("pydantic_ai.providers.openai")
    provider = providers.OpenAIProvider(base_url="http://server/v1", api_key="k", http_client=client(library))
    agent = pydantic_ai.Agent(models.OpenAIChatModel("m", provider=provider), tools=[get_weather])
    done = asyncio.run(agent.run("Weather?"))
    parts = [part for each in done.all_messages() for part in each.parts if part.part_kind == "tool-return"]
    assert [part.content for part in parts] == ["Oslo: 4"]
    assert done.output == "Rain."


def test_pydantic_ai_with_any_model() -> None:
    pydantic_ai, functions = pytest.importorskip("pydantic_ai"), pytest.importorskip("pydantic_ai.models.function")
    messages = pytest.importorskip("pydantic_ai.messages")
    said = iter([f"Let me look.\n{CALL}", "Rain."])

    def answer(*_: Any) -> Any:
        return messages.ModelResponse(parts=[messages.TextPart(next(said))])

    agent = pydantic_ai.Agent(pydantic_ai_hooks.heal_model(functions.FunctionModel(answer)), tools=[get_weather])
    done = asyncio.run(agent.run("Weather?"))
    parts = [part for each in done.all_messages() for part in each.parts if part.part_kind == "tool-return"]
    assert [part.content for part in parts] == ["Oslo: 4"]
    assert done.output == "Rain."


def test_openai_agents_with_any_model() -> None:
    agents, openai = pytest.importorskip("agents"), pytest.importorskip("openai")
    agents.set_tracing_disabled(True)
    plain = httpx.AsyncClient(transport=client(httpx)._transport._inner)
    asking = openai.AsyncOpenAI(api_key="k", base_url="http://server/v1", http_client=plain)
    model = openai_agents_hooks.heal_model(agents.OpenAIChatCompletionsModel(model="m", openai_client=asking))
    agent = agents.Agent(name="a", model=model, tools=[agents.function_tool(get_weather)])
    done = asyncio.run(agents.Runner.run(agent, "Weather?"))
    assert [each.output for each in done.new_items if each.type == "tool_call_output_item"] == ["Oslo: 4"]
    assert done.final_output == "Rain."


@pytest.mark.filterwarnings("ignore")  # LiteLLM's own
def test_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = pytest.importorskip("litellm")
    asked = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Weather?"}]}
    request = {**asked, "tools": [{"type": "function", "function": TOOL}]}
    answer = litellm.completion(**asked, mock_response=f"Let me look.\n{CALL}")

    async def streamed() -> list[Any]:
        chunks = await litellm.acompletion(**asked, mock_response=f"Let me look.\n{CALL}", stream=True)
        healed = litellm_hooks.healer.async_post_call_streaming_iterator_hook(None, chunks, request)
        return [chunk.choices[0] async for chunk in healed]

    whole = asyncio.run(litellm_hooks.healer.async_post_call_success_hook(request, None, answer)).choices[0]
    pieces = asyncio.run(streamed())
    for calls in (whole.message.tool_calls, [c for piece in pieces for c in piece.delta.tool_calls or ()]):
        assert [(call.function.name, json.loads(call.function.arguments)) for call in calls] == [
            ("get_weather", WANTED)
        ]
    assert (whole.finish_reason, pieces[-1].finish_reason) == ("tool_calls", "tool_calls")


def test_nothing_is_imported_unasked() -> None:
    code = (
        "import sys\n"
        "from utp_cli.plugins import langchain_hooks, litellm_hooks, openai_agents_hooks, pydantic_ai_hooks\n"
        "assert not {'langchain', 'langchain_core', 'litellm', 'agents', 'pydantic_ai', 'openai'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
