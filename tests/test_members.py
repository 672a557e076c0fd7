"""What validators say of members: the wording gives the fault, the path the place, both the cause."""

from __future__ import annotations

import re
import time

import pytest

from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.facts.error_texts.finder import find_error_texts, small_letters
from utp_cli.facts.error_texts.members import FAULTS, find_members, places, wordings

SAID = (
    ("1 validation error for LLMMessage\ntool_calls.0.type\n  Input should be 'function' [type=literal_error, input_value=None, input_type=NoneType]", "call-shape-invalid"),
    ("{'type': 'literal_error', 'loc': ('body', 3, 'ChatCompletionMessageFunctionToolCallParam', 'type'), 'msg': \"Input should be 'function'\", 'input': ''}", "call-shape-invalid"),
    ("[{'type': 'literal_error', 'loc': ('body', 'messages', 2, 'typed-dict', 'role'), 'msg': \"Input should be 'system'\", 'input': 'assistant'}, {'type': 'missing', 'loc': ('body', 'messages', 2, 'typed-dict', 'content'), 'msg': 'Field required', 'input': {}}]", "content-null-refused"),
    ("'function' is a required property, expected an object - 'tools.7'", "tool-shape-invalid"),
    ("1 validation error for ResponseFunctionToolCall\narguments\n  Input should be a valid string [type=string_type, input_value={'a': 1}, input_type=dict]", "arguments-wrong-kind"),
    ("body.3.ChatCompletionMessageFunctionToolCallParam.type: Input should be 'function'", "call-shape-invalid"),
    ("ChatCompletionMessageGenericParam.content Field required [type=missing, input_value={'role': 'assistant'}, input_type=dict]\nChatCompletionMessageUserParam.role Input should be 'user' [type=literal_error, input_value='assistant', input_type=str]", "content-null-refused"),
    ('"loc":["body","messages",X,"assistant","reasoning_content"],\n"msg":"Extra inputs are not permitted",\n"input":""', "block-extra-field"),
    ("messages.3.content.1: Input tag 'thoughtSignature' found using 'type' does not match any of the expected tags: 'text', 'thinking'", "content-shape"),
    ("'parameters' is a required property - 'tools.0.function'", "tool-shape-invalid"),
    ('Missing required parameter in toolConfig.tools[0].toolSpec: "inputSchema"', "tool-shape-invalid"),
    ("input.2.status: Value is 'null' but should be 'string'", "call-shape-invalid"),
    ("tools.0.custom.input_examples: Extra inputs are not permitted", "tool-shape-invalid"),
    ("Missing required parameter: 'input[N].arguments'", "call-shape-invalid"),
    ('{"path": ["content", 0, "resource"], "message": "Required"}', "mcp-result-refused"),
    (r'\"path\": [\n \"content\",\n 0,\n \"resource\"\n ],\n \"message\": \"Required\"', "mcp-result-refused"),
    ("2 validation errors for Unmarshaller\nbody.data.choices.0.delta.tool_calls.nullable[list[ToolCall]].0.function.name\n  Input should be a valid string [type=string_type, input_value=None, input_type=NoneType]", "call-name-empty"),
    ('[{"code":"invalid_union_discriminator","path":[0,"function","parameters","type"],"message":"Invalid discriminator value. Expected \'object\'"}]', "schema-not-object"),
    (r'[\n  {\n    \"path\": [\n      11,\n      \"function\",\n      \"parameters\",\n      \"type\"\n    ],\n    \"message\": \"Invalid discriminator value. Expected \'object\'\"\n  }\n]', "schema-not-object"),
    ("[] is too short - 'messages'", "no-user-query"),
    ("[] is too short - 'functions'", "tool-options-without-tools"),
    ("Additional properties are not allowed ('strict' was unexpected) - 'tools.0.function'", "strict-unsupported"),
    ("'name' is a required property - 'functions.0'", "tool-shape-invalid"),
    ("{'role': 'assistant'} is not valid under any of the given schemas - 'messages.1'", "content-shape"),
    ("None is not of type 'object' - 'functions.0.parameters'", "schema-not-object"),
    ("'get weather' does not match '^[a-zA-Z0-9_-]{1,64}$' - 'tools.0.function.name'", "tool-name-invalid"),
    ("'multi_tool_use.parallel' does not match '^[a-zA-Z0-9_-]{1,64}$' - 'messages.5.tool_calls.0.function.name'", "tool-name-invalid"),
    ("'aaaaaaaaaaaaaaaaa' is too long - 'tools.0.function.name'", "tool-name-too-long"),
    ("'x' is too long - 'tools.0.function.description'", "tool-shape-invalid"),
    ("'content' is a required property - 'messages.2'", "content-null-refused"),
    ("[{'type': 'text', 'text': 'a'}] is not of type 'string' - 'messages.2.content'", "content-shape"),
    ("{'a': 1} is not of type 'string' - 'messages.2.tool_calls.0.function.arguments'", "arguments-wrong-kind"),
    ("'tool_call_id' is a required property - 'messages.3'", "call-id-missing"),
    ("'id' is a required property - 'messages.3.tool_calls.0'", "call-id-missing"),
    ("'type' is a required property - 'messages.3.tool_calls.0'", "call-shape-invalid"),
    ("[] is too short - 'messages.1.tool_calls'", "tool-calls-empty-array"),
    ("'' is too short - 'messages.1.content'", "empty-content-refused"),
    ("Invalid type for 'messages[1].content': expected one of an array of objects or string, but got null instead.", "content-null-refused"),
    ("Invalid type for 'messages[3].tool_calls[0].function.arguments': expected a string, but got an object instead.", "arguments-wrong-kind"),
    ("Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.", "tool-calls-empty-array"),
    ("Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.", "call-id-format"),
    ("Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "tool-name-invalid"),
    ("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.", "too-many-tools"),
    ("{'detail': [{'type': 'missing', 'loc': ['body', 'messages', 3, 'tool_call_id'], 'msg': 'Field required', 'input': {'role': 'tool'}}]}", "call-id-missing"),
    ('{"detail":[{"type":"string_type","loc":["body","messages",1,"content","str"],"msg":"Input should be a valid string","input":null}]}', "content-null-refused"),
    ("messages.2.content.0.tool_use.id: Field required", "call-id-missing"),
    ("messages.2.content.0.tool_use.name: String should have at least 1 character", "call-name-empty"),
    ("messages.2.content.0.tool_use.input: Input should be a valid dictionary", "arguments-wrong-kind"),
    ("messages.1.content.0.tool_result.tool_use_id: Field required", "call-id-missing"),
    ("messages.1.content.0.text.text: Field required", "content-shape"),
    ("messages.1.content: Input should be a valid list", "content-shape"),
    ("messages.1.content.0.thinking.signature: Field required", "thinking-block-altered"),
    ("messages.1.content.0.text.citations: Extra inputs are not permitted", "block-extra-field"),
    ("tools.0.custom.input_schema.type: Input should be 'object'", "schema-not-object"),
    ("tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", "tool-name-invalid"),
    ("tools.0.custom.description: Input should be a valid string", "tool-shape-invalid"),
    ("tool_choice: Input should be 'auto' or 'none'", "tool-choice-malformed"),
    ("messages[1].content: invalid type: null, expected a string at line 1 column 99", "content-null-refused"),
    ("Failed to deserialize the JSON body into the target type: messages[2]: missing field `tool_call_id` at line 1 column 400", "call-id-missing"),
    ("Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user` at line 1 column 40", "role-unknown"),
    ("tools[0].type: unknown variant `custom`, expected `function` at line 1 column 40", "tool-type-unsupported"),
    ("tool_choice: unknown variant `any`, expected `auto`", "tool-choice-malformed"),
    ("data/messages/3 must have required property 'tool_call_id'", "call-id-missing"),
    ('data/tools/0/function/name must match pattern "^[a-z]+$"', "tool-name-invalid"),
    ("data/tools must NOT have fewer than 1 items", "tool-options-without-tools"),
    ("✖ Invalid input: expected string, received null\n  → at messages[0].content", "content-null-refused"),
    ('[{"expected": "string", "code": "invalid_type", "path": ["messages", 0, "content"], "message": "Invalid input: expected string, received null"}]', "content-null-refused"),
    ("Value 'get weather' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+", "tool-name-invalid"),
    ("Value '' at 'messages.3.member.content.1.member.text' failed to satisfy constraint: Member must have length greater than or equal to 1", "empty-content-refused"),
    ("json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type map[string]any", "arguments-wrong-kind"),
    ("None is not of type 'object' - 'messages.2.function_call'", "call-shape-invalid"),
)  # fmt: skip
NOT_OF_A_REQUEST = (
    "name: Field required", "settings.api_key: Field required", "'a' is not of type 'string' - 'services.web.image'",
    "data/version must be string", "Missing required parameter: 'file'.", "The tools must be cleaned at once.",
    "messages must be short and friendly", "if output_schema is set, tools must be empty",
    "[{'type': 'missing', 'loc': ('query', 'page'), 'msg': 'Field required', 'input': None}]",
)  # fmt: skip
IN_A_UNION = """2 validation errors for ChatRequest
messages.1.ChatCompletionDeveloperMessageParam.role
  Input should be 'developer' [type=literal_error, input_value='tool', input_type=str]
messages.1.ChatCompletionToolMessageParam.tool_call_id
  Field required [type=missing, input_value={'role': 'tool'}, input_type=dict]"""


def codes(text):
    return [entry.code for entry, _ in find_members(text, small_letters(text))]


@pytest.mark.parametrize("wording", wordings(), ids=lambda wording: wording.needs)
def test_example_of_a_wording(wording):
    assert codes(wording.example)[:1] == [wording.code]
    assert wording.needs == wording.needs.lower()


@pytest.mark.parametrize(("text", "code"), SAID, ids=[text[:60] for text, _ in SAID])
def test_each_library_tells_the_cause(text, code):
    assert codes(text)[:1] == [code]
    assert find_error_texts(text)


@pytest.mark.parametrize("text", NOT_OF_A_REQUEST)
def test_what_is_no_member_of_a_request_tells_nothing(text):
    assert not codes(text)


def test_a_branch_of_a_union_does_not_tell_the_role():
    assert codes(IN_A_UNION) == ["call-id-missing"]


def test_places_name_diagnoses_and_faults():
    for _, _, causes in places():
        assert causes.keys() <= FAULTS.keys()
        assert all(code in DIAGNOSES for code in causes.values())


@pytest.mark.parametrize("wording", wordings(), ids=lambda wording: wording.needs)
def test_hostile_text_costs_little(wording):
    words = re.findall(r"[\w]+[^\w\n]{0,3}", wording.example)
    for unit in (*words, wording.example[: len(wording.example) // 2], wording.example, "messages.0.", "tools["):
        text = unit * (20_000 // len(unit))
        begun = time.process_time()
        codes(text)
        assert time.process_time() - begun < 1, unit
