"""`pytest -m cases`: the tables of cases by a direct loop, in seconds; the same functions run case by case otherwise.

Not part of a plain run, which would check all of it twice.
"""

from __future__ import annotations

import sys
import traceback
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any

import pytest

import tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

TABLES = (
    "test_audit_edges.test_a_guard_may_quote_what_it_finds",
    "test_audit_edges.test_a_slip_for_a_keyword",
    "test_audit_edges.test_edits_between_words",
    "test_audit_edges.test_orders_about_tools_are_told_where_a_stranger_is_called",
    "test_audit_edges.test_parameters_in_prose",
    "test_audit_edges.test_what_breaks_callers",
    "test_audit_edges.test_what_enhancing_says_of_a_parameter",
    "test_audit_edges.test_what_is_said",
    "test_audit_edges.test_who_is_told",
    "test_audit_edges.test_words_of_one_meaning_have_one_stem",
    "test_audit_judged.test_an_error_needs_proof_or_a_refusal",
    "test_audit_judged.test_told_by_default",
    "test_audit_sets.test_breaking_change",
    "test_audit_sets.test_what_a_baseline_knows",
    "test_audit_sets.test_comments_that_suppress",
    "test_audit_sets.test_keys_that_suppress",
    "test_audit_sets.test_portability_of_odd_input",
    "test_auditing.test_a_record_is_a_value_and_is_made_by_keywords",
    "test_auditing.test_what_enhancing_adds",
    "test_auditing.test_a_fix_changes_what_is_wrong_and_nothing_else",
    "test_auditing.test_a_schema_is_mended_for_a_provider",
    "test_auditing.test_case",
    "test_auditing.test_pointers_lead_into_the_definition_as_written",
    "test_captures.test_paste",
    "test_checked_requests.test_a_conversation_moves_to_any_provider",
    "test_checked_requests.test_a_sound_request_is_left_alone",
    "test_checked_requests.test_what_will_be_refused_is_named",
    "test_commands_checked.test_commands_are_read",
    "test_commands_checked.test_what_is_said_of_a_command",
    "test_commands_checked.test_what_is_wrong_is_found_and_nothing_else",
    "test_commands_checked.test_what_starts_no_server_is_none",
    "test_commands_checked.test_what_was_corrected_has_less_against_it",
    "test_counting.test_looks_of_a_pattern",
    "test_counting.test_looks_of_a_scan",
    "test_counting.test_a_source_sleeps_until_a_marker_may_have_begun",
    "test_counting.test_looks_of_a_window",
    "test_data_tables.test_a_row_names_the_parser_that_reads_its_dialect",
    "test_data_tables.test_a_scenario_can_be_answered",
    "test_data_tables.test_what_a_model_can_do",
    "test_data_tables.test_windows_are_round",
    "test_detection.test_a_model_speaks_its_dialect",
    "test_detection.test_a_public_list_wins_over_the_registry",
    "test_detection.test_an_id_says_what_its_label_says",
    "test_detection.test_every_field_has_a_source",
    "test_detection.test_mode_and_format",
    "test_detection.test_no_row_is_hidden_by_an_earlier_one",
    "test_detection.test_server_options",
    "test_detection.test_version_ranges",
    "test_detection.test_what_is_known_of_a_series_without_any_offer",
    "test_detection.test_what_is_no_list_of_models_is_refused",
    "test_detection.test_windows_are_those_that_the_maker_states",
    "test_diagnosis.test_case",
    "test_diagnosis.test_error_text",
    "test_diagnosis.test_error_texts_of_a_page_prove_the_diagnosis_and_symptoms_do_not",
    "test_diagnosis.test_python_literals_are_read_without_running_them",
    "test_diagnosis.test_where_a_text_breaks_off",
    "test_dialects.test_arguments_are_told_while_they_are_written",
    "test_dialects.test_dialect_is_whole",
    "test_formats.test_a_record_names_what_is_there",
    "test_formats.test_an_answer_that_is_written_is_read",
    "test_formats.test_definitions_that_are_written_are_read",
    "test_formats.test_every_format_writes_results",
    "test_formats.test_the_wires_that_are_healed_are_records",
    "test_frames.test_json",
    "test_frames.test_pieces_settle",
    "test_frames.test_sse",
    "test_frames.test_the_beginning_tells",
    "test_healer.test_scenarios",
    "test_history.test_junk_is_passed_over",
    "test_history.test_what_is_only_a_part_is_not_judged",
    "test_history_edges.test_what_an_error_quotes",
    "test_history_edges.test_what_the_system_prompt_is",
    "test_history_edges.test_what_a_message_becomes",
    "test_history_edges.test_when_arguments_are_the_same",
    "test_history_edges.test_which_call_a_result_answers",
    "test_history_edges.test_which_token_leaked_into_a_value",
    "test_history_edges.test_which_token_stands_in_prose",
    "test_ladder.test_layout",
    "test_modes.test_an_answer_that_is_half_a_document_is_noted",
    "test_modes.test_what_begins_as_a_call_and_cannot_be_read",
    "test_nesting.test_arguments_of_a_call",
    "test_numbers.test_documents_are_json_for_everybody",
    "test_offers.test_a_gateway_in_front_is_no_organisation",
    "test_offers.test_aliases_are_known_and_mean_something_known",
    "test_offers.test_one_model_in_two_spellings",
    "test_offers.test_two_models_with_one_name_in_part",
    "test_offers.test_what_does_not_chat_is_named_and_gets_no_advice_on_tools",
    "test_offers.test_what_the_maker_says_holds_against_lists",
    "test_outcomes.test_the_worst_format_counts",
    "test_outcomes.test_what_an_answer_is_worth",
    "test_outcomes.test_what_any_client_sees",
    "test_outcomes.test_what_one_client_sees",
    "test_own_dialects.test_a_table_says_all_of_a_dialect",
    "test_own_dialects.test_the_catalogue_obeys_the_checks",
    "test_own_dialects.test_what_gets_in_the_way_of_another_is_said",
    "test_own_dialects.test_what_makes_no_sense_is_said",
    "test_parsing.test_case",
    "test_readings.test_a_header_is_waited_for_and_not_for_ever",
    "test_readings.test_a_long_value_is_told_a_hundred_characters_at_a_time",
    "test_readings.test_an_answer_goes_on_with_its_prompt",
    "test_readings.test_two_calls_behind_prose",
    "test_readings.test_what_is_odd_in_a_call",
    "test_repair.test_case",
    "test_repair.test_case_in_pieces",
    "test_repair.test_declines_what_is_no_container",
    "test_repair.test_end_of_payload",
    "test_repair.test_repairs_are_true",
    "test_results.test_a_tool_envelope_passes_untouched",
    "test_rewriting_history.test_a_history_is_written_as_the_provider_has_it",
    "test_rewriting_history.test_nothing_that_was_said_is_left_out_where_messages_are_joined",
    "test_rewriting_history.test_what_a_provider_takes_stays",
    "test_rewriting_history.test_what_is_no_history_is_said",
    "test_segments.test_what_the_characters_are",
    "test_server_answers.test_a_name_that_is_not_served",
    "test_server_answers.test_by_which_answer_a_server_is_known",
    "test_server_answers.test_how_offers_vote",
    "test_server_answers.test_what_a_list_says",
    "test_server_answers.test_what_an_answer_says",
    "test_server_answers.test_what_contradicts_a_server",
    "test_server_answers.test_which_models_are_served",
    "test_server_answers.test_which_served_name_is_meant",
    "test_server_told.test_a_paste_tells_of_its_server",
    "test_shape.test_a_definition_of_a_tool_is_no_call",
    "test_shape.test_a_description_beside_a_name_makes_a_definition_of_what_is_empty_or_a_schema",
    "test_shape.test_a_number_keeps_its_spelling",
    "test_shape.test_answers_that_are_no_call",
    "test_shape.test_arguments_of_native_calls",
    "test_shape.test_calls_in_text_in_text",
    "test_shape.test_keys_that_hold_the_arguments",
    "test_shape.test_keys_that_hold_the_id",
    "test_shape.test_keys_that_hold_the_name",
    "test_shape.test_names",
    "test_shape.test_shape_case",
    "test_shape.test_shapes_of_calls",
    "test_shape.test_typos_count_only_when_asked_for",
    "test_shape.test_what_a_form_declares_is_no_repair",
    "test_shape.test_what_is_no_call",
    "test_spellings.test_half_a_name_is_no_name",
    "test_spellings.test_the_call_in_it_is_the_model_s",
    "test_spellings.test_what_a_model_writes_is_no_spelling",
    "test_spellings.test_what_the_libraries_print_is_read",
    "test_standing.test_pieces_of_a_text_become_something_else",
    "test_standing.test_the_last_sentence",
    "test_standing.test_the_line_behind_a_call",
    "test_standing.test_the_name_that_a_text_ends_in",
    "test_standing.test_the_text_before_a_call",
    "test_standing.test_what_leads_to_a_call",
    "test_stream_calls.test_which_calls_there_are",
    "test_templates.test_a_template_of_go_is_taken_apart",
    "test_templates.test_a_template_of_go_writes_calls",
    "test_templates.test_what_a_template_of_go_tells",
    "test_templates.test_fields_are_filled_and_lists_in_the_making_are_written",
    "test_templates.test_formatting_by_percent_is_refused",
    "test_templates.test_formatting_is_refused",
    "test_templates.test_what_is_markup_and_what_is_call",
    "test_templates.test_what_templates_use_works",
    "test_threads.test_an_answer_that_speaks_of_failures_is_an_answer",
    "test_threads.test_the_cause_of_a_thread_is_named",
    "test_threads.test_who_speaks",
    "test_typed.test_a_list_as_python_prints_it_is_one_repair",
    "test_typed.test_text_takes_the_type_asked",
    "test_typed.test_types_behind_unions_references_and_odd_spellings",
    "test_validation.test_each_way_to_spoil_a_sound_call_is_told",
    "test_values.test_an_unknown_keyword_is_a_type_error",
    "test_values.test_readings_are_values",
    "test_wire.test_a_body_as_text_is_the_body",
    "test_wire.test_a_decoded_object_of_no_format_is_unknown",
    "test_wire.test_case",
    "test_wire.test_events_are_in_order",
    "test_wire.test_every_format_has_its_decoder_and_a_case",
    "test_wire.test_fact",
    "test_wire.test_healthy_answers_are_not_odd",
    "test_wire.test_pointers_lead_to_what_they_are_said_to_hold",
    "test_wire.test_recognised",
    "test_wire.test_recognised_requests_and_tools",
    "test_wire.test_text_is_text",
    "test_wire_facts.test_errors_in_errors",
    "test_wire_facts.test_how_an_input_was_written",
    "test_wire_facts.test_lengths_of_a_binary_message",
    "test_wire_facts.test_model_and_tokens",
    "test_wire_facts.test_model_and_tokens_of_a_stream",
    "test_wire_facts.test_no_error",
    "test_wire_facts.test_numbers_of_the_wire",
    "test_wire_facts.test_server_sent_events",
    "test_wire_facts.test_signs_of_a_format_and_what_lacks_one",
    "test_wire_facts.test_values_of_otlp",
    "test_written_dialects.test_calls_are_written_as_the_grammar_says",
    "test_written_dialects.test_calls_are_written_as_the_model_does",
    "test_written_dialects.test_the_value_that_is_cut_is_named",
)
"""Tests with one table of cases each."""


def rows(test: Callable[..., None]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the id and the arguments of each case of a parametrised test."""
    mark = next(mark for mark in test.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]
    names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
    given = mark.kwargs.get("ids")
    ids = [given(row) for row in mark.args[1]] if callable(given) else [*given] if given else None
    for number, row in enumerate(mark.args[1]):
        values = row if len(names) > 1 else (row,)
        yield str(ids[number] if ids else row), values


def loaded(name: str) -> ModuleType:
    """Load a file of tests as Python does: to write its asserts anew takes pytest longer than most tables take."""
    full = f"tests.{name}"
    if full not in sys.modules:
        spec = PathFinder.find_spec(full, tests.__path__)
        sys.modules[full] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[full]


@pytest.mark.cases
@pytest.mark.parametrize("table", TABLES)
def test_table(table):
    module, _, name = table.partition(".")
    test, failed = getattr(loaded(module), name), []
    seen = 0
    for case, values in rows(test):
        seen += 1
        try:
            test(*values)
        except Exception as err:  # noqa: BLE001 - every case is tried, whatever one raises
            line = traceback.extract_tb(err.__traceback__)[-1].line
            failed.append(f"{case}: {type(err).__name__} {err} in {line}"[:300])
    assert seen, "the table is empty"
    assert not failed, f"{len(failed)} of {seen} cases fail: pytest 'tests/{module}.py' tells more\n" + "\n".join(
        failed
    )
