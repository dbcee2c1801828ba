from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from envfactory.catalogue import backend, environment_names
from envfactory.embedding import Lexical
from envfactory.environment import InProcess, Parameter
from envfactory.toolgraph import Settings, ToolGraph, build_graph, leaves_of, threshold_curve
from envfactory.toolgraph.prove import EMPTY, Prover
from tests.toolgraph.worlds import Archiving, Keeping, Lending, made, spec

WORLD = InProcess({"keeping": Keeping, "archiving": Archiving})
LENDING = InProcess({"lending": Lending})
PLAIN = Settings(prove=False, scenario_size=8)
PROVING = Settings(scenario_size=8)


@pytest.fixture(scope="module")
def catalogue() -> ToolGraph:
    environments = backend(environment_names())
    return build_graph(environments.specs.values(), Lexical(), Settings(), environments)


@pytest.fixture(scope="module")
def proved() -> ToolGraph:
    return build_graph(WORLD.specs.values(), Lexical(), PROVING, WORLD)


@pytest.fixture(scope="module")
def by_rule() -> ToolGraph:
    return build_graph(WORLD.specs.values(), Lexical(), PLAIN)


@pytest.fixture(scope="module")
def lending() -> ToolGraph:
    return build_graph(LENDING.specs.values(), Lexical(), PROVING, LENDING)


def pairs(graph: ToolGraph) -> set[tuple[str, str]]:
    return {(edge.producer, edge.consumer) for edge in graph.edges}


def reason(graph: ToolGraph, producer: str, consumer: str, path: str = "note_id") -> str:
    return next(p.reason for p in graph.pruned if (p.producer, p.consumer, p.input) == (producer, consumer, path))


def test_a_listed_id_feeds_the_tools_that_take_it_and_is_proved(proved: ToolGraph):
    edge = proved.between("keeping-list_notes", "keeping-get_note")[0]
    assert (edge.output, edge.input, edge.proof.state, edge.proof.outcome) == ("notes[].id", "note_id", "proved", "ok")
    assert str(edge.proof.value).startswith("N-")
    assert "declared: entity Note on both sides" in edge.reasons


def test_an_id_that_only_comes_back_is_pruned_as_an_echo(proved: ToolGraph):
    assert reason(proved, "keeping-get_note", "keeping-copy_note").startswith("echo")


def test_execution_overrules_the_echo_rule_where_a_new_id_comes_out(proved: ToolGraph, by_rule: ToolGraph):
    assert reason(by_rule, "keeping-copy_note", "keeping-get_note").startswith("echo")
    assert proved.between("keeping-copy_note", "keeping-get_note")[0].proof.value == "N-1001"


def test_ids_of_another_environment_fall_by_execution_and_values_stand(proved: ToolGraph, by_rule: ToolGraph):
    assert ("keeping-list_notes", "archiving-read_archived") in pairs(by_rule)
    assert "not_found" in reason(proved, "keeping-list_notes", "archiving-read_archived")
    assert ("keeping-get_note", "archiving-search_archive") in pairs(proved)


def test_a_value_that_succeeds_counts_more_than_one_that_the_domain_refuses(proved: ToolGraph):
    proof = proved.between("keeping-list_notes", "keeping-share_note")[0].proof
    assert (proof.state, proof.outcome) == ("proved", "ok")
    assert int(str(proof.value)[2:]) % 2


def test_a_refusal_of_the_domain_proves_an_edge_that_declarations_suggest(proved: ToolGraph):
    proof = proved.between("keeping-list_notes", "keeping-bring_back")[0].proof
    assert (proof.state, proof.outcome) == ("proved", "precondition_failed")


def test_a_refusal_of_the_domain_does_not_prove_an_edge_that_only_the_text_suggests(
    proved: ToolGraph, by_rule: ToolGraph
):
    assert ("keeping-list_notes", "keeping-print_note") in pairs(by_rule)
    why = reason(proved, "keeping-list_notes", "keeping-print_note", "title")
    assert why == "unproved: text alone proposed it (precondition_failed)"


def test_the_echo_rule_stands_where_the_producer_never_succeeds(proved: ToolGraph):
    assert reason(proved, "keeping-bring_back", "keeping-get_note").startswith("echo")


def test_a_value_that_only_comes_once_something_has_happened_is_found_in_a_lived_in_world(lending: ToolGraph):
    edge = lending.between("lending-list_items", "lending-remind")[0]
    assert (edge.output, edge.input, edge.proof.state) == ("items[].borrower_id", "borrower_id", "proved")


def test_a_value_that_never_comes_is_no_edge(lending: ToolGraph):
    assert "lending-count_items" in lending.by_tool
    why = reason(lending, "lending-count_items", "lending-remind", "borrower_id")
    assert why == f"disproved: {EMPTY}"


def test_a_value_that_is_refused_where_others_are_taken_is_no_edge(lending: ToolGraph):
    why = reason(lending, "lending-find_sealed", "lending-lend", "item_id")
    assert why == "disproved: the consumer takes other values, never these (invalid_argument)"
    assert lending.between("lending-list_items", "lending-lend")[0].proof.outcome == "ok"


def test_what_execution_disproves_stands_without_it():
    by_rule = build_graph(LENDING.specs.values(), Lexical(), PLAIN)
    assert {("lending-count_items", "lending-remind"), ("lending-find_sealed", "lending-lend")} <= pairs(by_rule)


def test_each_proof_starts_from_the_same_state():
    leaves = leaves_of(WORLD.specs.values())
    prover = Prover(leaves, WORLD, 8)
    listed = next(
        leaf for leaf in leaves.outputs if leaf.path == "notes[].id" and leaves.tools[leaf.tool].name == "list_notes"
    )
    dropped = next(leaf for leaf in leaves.inputs if leaves.tools[leaf.tool].name == "drop_note")
    assert prover.prove(listed, dropped) == prover.prove(listed, dropped) == prover.prove(listed, dropped)
    prover.close()


def test_what_only_the_user_does_is_not_in_the_graph(proved: ToolGraph):
    assert "keeping-confirm" not in proved.by_tool


def test_ids_that_a_tool_gives_are_internal_and_the_rest_is_external(proved: ToolGraph):
    assert proved.classes["keeping-get_note"]["note_id"].kind == "internal"
    topic = proved.classes["archiving-search_archive"]["topic"]
    assert (topic.kind, topic.reason, topic.required) == ("external", "the user knows the topic", True)


def test_an_id_that_no_tool_gives_must_be_known_to_the_user():
    alone = made("a", "get", inputs=(Parameter(path="gate_id", type="string", ref="Gate"),))
    leaf = build_graph([spec("a", alone)], Lexical(), PLAIN).classes["a-get"]["gate_id"]
    assert (leaf.kind, leaf.reason) == ("external", "no tool gives the id of a Gate, so the user must know it")


def test_a_leaf_in_an_optional_holder_is_optional(catalogue: ToolGraph):
    required = {node.tool: [leaf.path for leaf in node.inputs if leaf.required] for node in catalogue.tools}
    assert required["marketplace_orders-place_order"][:2] == ["items[].product_id", "items[].quantity"]
    assert "marketplace_orders-search_products" in required
    assert "page" not in required["marketplace_orders-search_products"]


def test_declarations_add_what_the_text_did_not_propose():
    give = made("a", "give", outputs=(Parameter(path="zzz", type="string", ref="Note", description="Qqq."),))
    take = made("a", "take", inputs=(Parameter(path="note_id", type="string", ref="Note", description="Note."),))
    edge = build_graph([spec("a", give, take)], Lexical(), PLAIN).edges[0]
    assert (edge.proposed, edge.reasons) == (False, ("declared: entity Note on both sides",))


@pytest.mark.parametrize(
    "tools", [(), (made("a", "alone"),), (made("a", "take", inputs=(Parameter(path="x", type="string"),)),)]
)
def test_a_graph_may_be_without_edges_or_tools(tools):
    graph = build_graph([spec("a", *tools)], Lexical(), PLAIN)
    assert (len(graph.tools), graph.edges) == (len(tools), ())
    assert len(graph.statistics()["isolated_tools"]) == len(tools)


def test_without_declarations_text_and_rules_decide():
    give = made("a", "give", outputs=(Parameter(path="track_id", type="string", description="Track."),))
    take = made("a", "take", inputs=(Parameter(path="track_id", type="string", description="Track."),))
    graph = build_graph([spec("a", give, take)], Lexical(), PLAIN)
    assert graph.edges[0].reasons == ("text: the cosine reaches the threshold",)
    assert graph.classes["a-take"]["track_id"].kind == "internal"


def test_no_tool_of_the_catalogue_stands_alone_and_nearly_every_edge_is_proved(catalogue: ToolGraph):
    statistics = catalogue.statistics()
    assert statistics["isolated_tools"] == []
    assert statistics["proved_share"] > 0.95
    assert statistics["edges_across"] > 0


def test_refinement_improves_on_the_text_proposal(catalogue: ToolGraph):
    assert catalogue.proposal is not None
    assert catalogue.refined is not None
    assert catalogue.refined.precision > catalogue.proposal.precision
    assert catalogue.refined.recall > catalogue.proposal.recall


def test_the_lexical_threshold_is_near_the_one_that_scores_best_where_a_miss_is_worse(catalogue: ToolGraph):
    leaves = leaves_of(backend(environment_names()).specs.values())
    # F2: where nothing is declared, what text does not propose is lost; what it proposes wrongly is tried and dropped.
    scores = {
        threshold: 5 * score.precision * score.recall / (4 * score.precision + score.recall)
        for threshold, score in threshold_curve(leaves, Lexical()).points
        if score.recall
    }
    assert scores[Lexical().threshold] >= max(scores.values()) - 0.03, f"retune THRESHOLD: {scores}"


def test_a_saved_graph_loads_equal_and_another_version_is_refused(proved: ToolGraph, tmp_path: Path):
    path = tmp_path / "graph.json"
    proved.save(path)
    assert ToolGraph.load(path) == proved
    assert proved.producers("keeping-get_note", "note_id") == ToolGraph.load(path).producers(
        "keeping-get_note", "note_id"
    )
    path.write_text(path.read_text().replace('"schema_version": 1', '"schema_version": 7'))
    with pytest.raises(ValueError, match="schema_version is 7, expected 1"):
        ToolGraph.load(path)


def test_an_edge_to_nowhere_is_refused(proved: ToolGraph):
    document = proved.model_dump(mode="json")
    document["edges"][0]["output"] = "nowhere"
    with pytest.raises(ValueError, match="nowhere, which is not in the graph"):
        ToolGraph.model_validate(document)


def test_the_digraph_leads_from_tool_to_output_to_input_to_tool(proved: ToolGraph):
    graph = proved.digraph()
    nodes = {graph[index]: index for index in graph.node_indices()}
    steps = [
        ("tool", "keeping-list_notes", ""), ("output", "keeping-list_notes", "notes[].id"),
        ("input", "keeping-get_note", "note_id"), ("tool", "keeping-get_note", ""),
    ]  # fmt: skip
    assert all(graph.has_edge(nodes[left], nodes[right]) for left, right in pairwise(steps))
    payload = graph.get_edge_data(nodes[steps[1]], nodes[steps[2]])
    assert payload == proved.between("keeping-list_notes", "keeping-get_note")[0]


def test_a_threshold_in_the_settings_replaces_the_embedders_own(by_rule: ToolGraph):
    strict = build_graph(WORLD.specs.values(), Lexical(), Settings(threshold=1.0, prove=False))
    assert strict.threshold == 1.0
    assert strict.proposal is not None
    assert by_rule.proposal is not None
    assert strict.proposal.pairs < by_rule.proposal.pairs


def test_the_graph_has_the_same_bytes_under_any_hash_seed(tmp_path: Path):
    code = (
        "import sys; from pathlib import Path; from envfactory.catalogue import backend;"
        "from envfactory.embedding import Lexical; from envfactory.toolgraph import Settings, build_graph;"
        "b = backend(['hotel_reservations', 'retail_banking']);"
        "build_graph(b.specs.values(), Lexical(), Settings(), b).save(Path(sys.argv[1]))"
    )
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for seed, path in enumerate(files):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=True, timeout=120)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_tools_that_the_limit_of_producers_would_cut_off_lead_somewhere_else_too():
    """Of all that has a price one tool is taken for an amount; what a railcard costs is due all the same."""
    environments = backend(["hotel_reservations", "marketplace_orders", "rail_tickets", "retail_banking"])
    graph = build_graph(environments.specs.values(), Lexical(), Settings(propose_top=1), environments)
    cards = {"rail_tickets-buy_railcard", "rail_tickets-list_railcards"}
    out = [edge for edge in graph.edges if edge.producer in cards and edge.consumer not in cards]
    assert [(edge.output, edge.input, edge.proof.state) for edge in out] == [("price", "amount", "proved")]
