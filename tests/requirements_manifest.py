"""What is required of the system, by whom, and which tests show it.

Every equation and rule of the paper that exists in code stands here, and what users of such systems report.
`test_requirements.py` enforces it both ways: a test named here must exist, and a module that cites a section of the
paper must be named by a requirement of that section.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER = "arXiv 2605.18703"


@dataclass(frozen=True)
class Requirement:
    """One behaviour.

    Attributes:
        source: a section of the paper (`3.2`), or the public issue thread that reports the failure (`hydra#3229`).
        behaviour: what has to hold.
        modules: where it is done.
        tests: `file::test` below `tests/`.
    """

    source: str
    behaviour: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


REQUIREMENTS = (
    # -- the paper ----------------------------------------------------------------------------------------------------
    Requirement(
        "3.1",
        "e = (m, D, pi, V): one class is metadata, database, implementation; the interface is generated and is MCP",
        ("envfactory/environment/environment.py",),
        (
            "serving/test_mcp.py::test_a_client_sees_the_tools_exactly_as_they_are_specified",
            "environment/test_environment.py::test_an_environment_says_where_it_belongs_and_by_what_rules",
            "environment/test_describe.py::test_the_class_is_described_as_data",
        ),
    ),
    Requirement(
        "3.1",
        "session isolation: one database instance a conversation",
        ("envfactory/environment/environment.py",),
        (
            "environment/test_session.py::test_sessions_interleaved_in_sixteen_threads_are_each_as_if_alone",
            "serving/test_mcp.py::test_two_clients_have_a_world_each",
        ),
    ),
    Requirement(
        "3.2",
        "an edge is proposed by the cosine of output and input texts over the embedder's threshold",
        ("envfactory/toolgraph/__init__.py", "envfactory/toolgraph/propose.py", "envfactory/config/making.py"),
        (
            "toolgraph/test_propose.py::test_close_texts_of_other_tools_are_proposed_with_their_cosine",
            "toolgraph/test_build.py::test_the_lexical_threshold_is_near_the_one_that_scores_best_where_a_miss_is_worse",
            "embedding/test_minilm.py::test_known_pairs_have_their_known_cosines_from_the_package_and_from_a_folder",
            "embedding/test_minilm.py::test_each_threshold_is_the_one_that_scores_best",
        ),
    ),
    Requirement(
        "3.2",
        "logical refinement adds missing edges and prunes spurious ones inside an environment",
        ("envfactory/toolgraph/graph.py",),
        (
            "toolgraph/test_build.py::test_declarations_add_what_the_text_did_not_propose",
            "toolgraph/test_rules.py::test_each_rule_gives_its_reason",
            "toolgraph/test_build.py::test_refinement_improves_on_the_text_proposal",
        ),
    ),
    Requirement(
        "3.2",
        "every input is external (the user knows it) or internal (the system made it)",
        ("envfactory/toolgraph/graph.py",),
        ("toolgraph/test_build.py::test_ids_that_a_tool_gives_are_internal_and_the_rest_is_external",),
    ),
    Requirement(
        "3.2",
        "an input is valid iff optional, external, or satisfied by an earlier tool of the chain",
        ("envfactory/sampling/validity.py", "envfactory/sampling/topology.py"),
        (
            "sampling/test_topology.py::test_every_chain_passes_the_independent_check",
            "sampling/test_validity.py::test_each_planted_defect_is_told",
        ),
    ),
    Requirement(
        "3.2",
        "unmet inputs: recursive backtracking along reverse edges, depth at most D_max = 3",
        ("envfactory/sampling/topology.py",),
        (
            "sampling/test_topology.py::test_a_need_is_met_by_a_producer_that_comes_first",
            "sampling/test_topology.py::test_needs_deeper_than_d_max_are_dropped_and_counted",
        ),
    ),
    Requirement(
        "3.2",
        "random override: with p = 0.1 a prior tool is added although the input is valid",
        ("envfactory/sampling/topology.py",),
        ("sampling/test_topology.py::test_without_override_no_tool_is_added_for_a_valid_input",),
    ),
    Requirement(
        "3.2",
        "topology-aware chains are more varied than a random walk's",
        ("envfactory/sampling/topology.py",),
        ("sampling/test_diversity.py::test_topology_is_all_valid_beside_a_walk_that_is_not",),
    ),
    Requirement(
        "3.3",
        "the chain is split at random into turns of 1 to 5 tools; a persona asks",
        ("envfactory/querygen/planner.py", "envfactory/querygen/__init__.py"),
        (
            "querygen/test_planner.py::test_every_call_falls_into_one_turn_within_the_bounds",
            "querygen/test_planner.py::test_turns_are_as_long_as_the_paper_has_them",
        ),
    ),
    Requirement(
        "3.3",
        "a request is one natural piece of text, not an instruction list",
        ("envfactory/querygen/synthesize.py",),
        (
            "querygen/test_synthesize.py::test_requests_use_none_of_the_interfaces_words",
            "querygen/refine/test_action_compression.py::test_a_search_in_the_same_breath_is_folded_into_what_it_is_for",
        ),
    ),
    Requirement(
        "3.3",
        "implicit reference: an entity becomes a reference to context that stands for exactly the right record",
        (
            "envfactory/querygen/refine/__init__.py",
            "envfactory/querygen/refine/refiner.py",
            "envfactory/config/making.py",
        ),
        (
            "querygen/refine/test_implicit_reference.py::test_the_second_one_is_the_second_of_the_list",
            "querygen/test_solvable.py::test_a_reference_must_stand_for_the_right_record_and_no_other",
            "querygen/test_solvable.py::test_the_same_words_do_not_fit_another_record",
        ),
    ),
    Requirement(
        "3.3",
        "action compression: steps that can be inferred are not asked for; gold keeps them",
        ("envfactory/querygen/refine/__init__.py",),
        (
            "querygen/refine/test_action_compression.py::test_a_look_up_that_a_later_call_needs_is_left_to_the_assistant",
            "querygen/refine/test_action_compression.py::test_the_program_keeps_what_is_not_asked_for",
        ),
    ),
    Requirement(
        "3.3",
        "ambiguity introduction: the text alone fits several records, a later turn or the user resolves it",
        ("envfactory/querygen/refine/__init__.py", "envfactory/trajectory/change.py"),
        (
            "querygen/refine/test_ambiguity.py::test_the_words_fit_at_least_two_records_in_the_state_and_the_answer_only_the_right_one",
            "querygen/refine/test_ambiguity.py::test_without_the_answer_the_request_is_not_solvable",
            "querygen/test_user.py::test_the_answer_to_an_ambiguous_request_is_the_next_request",
        ),
    ),
    Requirement(
        "3.3",
        "goal expansion: a further goal, its calls grounded and added to gold",
        ("envfactory/querygen/refine/__init__.py",),
        (
            "querygen/refine/test_goal_expansion.py::test_the_longer_program_replays_to_what_it_says",
            "querygen/refine/test_goal_expansion.py::test_the_goal_is_about_a_record_that_calls_before_it_gave_and_is_asked_for",
        ),
    ),
    Requirement(
        "3.3",
        "each refinement is switched alone, over the same chains and gold, and keeps every request solvable",
        ("envfactory/querygen/refine/__init__.py",),
        (
            "querygen/refine/test_rules.py::test_every_combination_of_switches_serves_every_program_and_changes_only_what_is_on",
            "evidence/test_ablation_page.py::test_every_cell_stands_on_the_same_chains_and_gold",
            "evidence/test_ablation_page.py::test_the_sweeps_still_give_what_stands_on_the_page_over_the_same_chains",
            "querygen/test_solvable.py::test_whatever_is_refined_stays_solvable_and_keeps_the_program",
        ),
    ),
    Requirement(
        "3.3",
        "k candidates in k fresh sessions; the best by execution first, by a judge among those that serve equally well",
        ("envfactory/querygen/synthesize.py", "envfactory/querygen/__init__.py"),
        (
            "querygen/test_choose.py::test_what_serves_is_chosen_before_what_the_judge_would_like",
            "querygen/test_choose.py::test_each_fault_makes_a_candidate_fail_by_what_it_spoils",
            "querygen/test_synthesize.py::test_every_candidate_is_what_a_fresh_session_gives",
        ),
    ),
    Requirement(
        "3.3",
        "redundant calls are filtered, pairs that undo each other among them; no needed call is dropped",
        ("envfactory/querygen/__init__.py",),
        (
            "querygen/test_filter.py::test_every_planted_redundant_call_is_found_and_no_needed_one_is_dropped",
            "querygen/test_filter.py::test_ten_thousand_planted_calls_are_told_from_the_needed_ones",
            "querygen/test_filter.py::test_ten_thousand_planted_calls_in_programs_over_every_environment",
            "querygen/test_synthesize.py::test_what_is_learned_has_nothing_to_remove_and_plays_every_gold_call_once",
        ),
    ),
    Requirement(
        "3.3",
        "argument values that do not affect correctness are masked, and no others",
        ("envfactory/querygen/__init__.py",),
        (
            "querygen/test_mask.py::test_every_planted_inert_argument_is_masked_and_no_other_one",
            "querygen/test_mask.py::test_ten_thousand_arguments_are_told_apart",
        ),
    ),
    Requirement(
        "3.3",
        "the pass rate of a task is its difficulty: too easy and impossible ones are dropped by config",
        ("envfactory/querygen/__init__.py",),
        (
            "querygen/test_synthesize.py::test_tasks_that_are_too_easy_or_too_hard_are_dropped",
            "querygen/test_synthesize.py::test_a_task_that_no_candidate_serves_is_dropped",
        ),
    ),
    Requirement(
        "3.3",
        "a trajectory is played in a live environment and counts only if it ends where gold ends",
        ("envfactory/querygen/synthesize.py",),
        (
            "querygen/test_synthesize.py::test_a_conversation_replays_to_the_state_it_records",
            "querygen/test_synthesize.py::test_a_replay_that_ends_elsewhere_is_rejected",
        ),
    ),
    Requirement(
        "3.4",
        "R = alpha*R_traj + (1-alpha)*R_state - gamma*P_length",
        ("envfactory/reward/reward.py", "envfactory/config/making.py"),
        (
            "reward/test_reward.py::test_the_equation_gives_what_was_worked_out_by_hand",
            "reward/test_reward.py::test_the_presets_are_the_choices_of_the_config_group",
        ),
    ),
    Requirement(
        "4",
        "SFT and RL data are disjoint; lengths are reported beside 4.82 turns and 3.29 steps a turn",
        ("envfactory/reporting/page.py",),
        (
            "dataset/test_split.py::test_no_group_is_in_two_sets_and_every_trajectory_is_in_one",
            "reporting/test_page.py::test_it_tells_counts_costs_rejects_diversity_and_the_papers_lengths",
        ),
    ),
    # -- what users report -------------------------------------------------------------------------------------------
    Requirement(
        "hydra#3229",
        "no root override of our groups beats an experiment's choice",
        (),
        ("config/test_commandline.py::test_every_experiment_composes",),
    ),
    Requirement(
        "hydra#3328",
        "the same command continues a sweep or a run",
        (),
        ("pipeline/test_kills.py::test_nothing_is_lost_repeated_or_corrupted_by_a_kill",),
    ),
    Requirement(
        "hydra#1817",
        "runs of the same second do not share a folder",
        (),
        ("pipeline/test_processes.py::test_a_second_process_on_a_cell_waits_and_reuses",),
    ),
    Requirement(
        "verl#6392",
        "tool output and thinking never count in the reward",
        (),
        (
            "reward/test_reward.py::test_gold_calls_echoed_by_a_tool_are_not_executed_calls",
            "reward/test_reward.py::test_calls_written_only_in_thinking_are_not_executed_calls",
        ),
    ),
    Requirement(
        "verl#6641",
        "a failure of the infrastructure is not a reward of 0",
        (),
        ("reward/test_statistics.py::test_a_failed_rollout_is_not_a_reward_of_nothing",),
    ),
    Requirement(
        "verl#1948",
        "every call is bounded",
        (),
        ("environment/test_worker.py::test_a_loop_is_cut_off_and_takes_every_instance_of_its_child_with_it",),
    ),
    Requirement(
        "fastmcp#3680",
        "one flattened schema dialect; arguments as a JSON string are read",
        (),
        (
            "environment/test_schema.py::test_every_schema_is_valid_and_uses_nothing_but_the_dialect",
            "reward/test_reward.py::test_arguments_as_json_text_are_read",
        ),
    ),
    Requirement(
        "fastmcp#1625",
        "no cross-talk between sessions",
        (),
        ("environment/test_session.py::test_sessions_interleaved_in_sixteen_threads_are_each_as_if_alone",),
    ),
    Requirement(
        "LlamaFactory#10530",
        "text beside a call is never lost; parallel calls are one message",
        (),
        (
            "dataset/test_sft.py::test_words_beside_a_call_stand_before_it_and_are_not_lost",
            "dataset/test_sft.py::test_parallel_calls_are_one_message_and_their_results_one_observation",
        ),
    ),
    Requirement(
        "LlamaFactory#2529",
        "malformed rows are told by row and field",
        (),
        ("dataset/test_check.py::test_a_defect_is_found_where_it_is",),
    ),
    Requirement(
        "tau2#316",
        "gold comes from execution",
        (),
        ("sampling/test_grounding.py::test_a_grounded_chain_runs_again_and_leads_to_the_same_state",),
    ),
    Requirement(
        "tau2#82",
        "one failing cell does not stop the others",
        (),
        ("pipeline/test_sweep.py::test_a_cell_that_fails_neither_hides_nor_stops_the_others",),
    ),
    Requirement(
        "DeepEyes#83",
        "the code's reward is the equation's",
        (),
        ("reward/test_reward.py::test_the_equation_gives_what_was_worked_out_by_hand",),
    ),
)
