"""The training samples: what is learned, what stands before it, and in which words."""

from __future__ import annotations

import itertools

import orjson
import pytest

from envfactory.dataset import dataset_info, samples, step_text, tool_file, write_samples
from envfactory.trajectory import PlayedCall, Step, Trajectory
from tests.dataset.support import asking, booking, hotels, looking

TOOLS = tool_file(hotels().specs)


def relabelled(trajectory: Trajectory, labels: dict[tuple[int, int], str]) -> Trajectory:
    """The trajectory with other labels, by turn and step."""
    candidate = trajectory.conversation
    turns = tuple(
        turn.model_copy(
            update={
                "steps": tuple(
                    step.model_copy(update={"label": labels.get((turn_index, step_index), step.label)})
                    for step_index, step in enumerate(turn.steps)
                )
            }
        )
        for turn_index, turn in enumerate(candidate.turns)
    )
    return trajectory.model_copy(update={"candidates": (candidate.model_copy(update={"turns": turns}),)})


def test_every_kept_step_is_the_end_of_one_sample() -> None:
    found = list(samples(booking(), TOOLS))
    assert [sample.id for sample in found] == [f"t-0001/{turn}/{step}" for turn in (0, 1) for step in (0, 1, 2)]
    steps = [step for turn in booking().conversation.turns for step in turn.steps]
    assert [sample.messages[-1].value for sample in found] == [step_text(step) for step in steps]


def test_a_question_of_the_assistants_is_learned_as_a_step_of_its_own() -> None:
    found = {sample.id: sample for sample in samples(asking(), TOOLS)}
    question = found["t-0003/1/0"]
    assert [message.author for message in question.messages[-2:]] == ["human", "gpt"]
    assert question.messages[-1].value == "Which one, and for when?"
    assert [name for name in found if name.startswith("t-0003/1")] == ["t-0003/1/0"]


def test_each_sample_begins_with_the_one_before_it() -> None:
    found = list(samples(booking(), TOOLS))
    for shorter, longer in itertools.pairwise(found):
        assert longer.messages[: len(shorter.messages)] == shorter.messages
    authors = [message.author for message in found[-1].messages]
    assert authors == ["human", "gpt", "observation", "gpt", "observation", "gpt",
                       "human", "gpt", "observation", "gpt", "observation", "gpt"]  # fmt: skip


def test_parallel_calls_are_one_message_and_their_results_one_observation() -> None:
    calls = booking().conversation.turns[0].steps[1].calls
    assert len(calls) == 2
    message, observation = list(samples(booking(), TOOLS))[2].messages[3:5]
    hotel = orjson.loads(calls[0].result)["id"]
    blocks = [
        f'<tool_call>\n{{"name": "hotel_reservations-{tool}", "arguments": {{"hotel_id": "{hotel}"}}}}\n</tool_call>'
        for tool in ("get_hotel", "list_reviews")
    ]
    assert message.value == "\n".join(blocks)
    assert observation.value == f"{calls[0].result}\n</tool_response>\n<tool_response>\n{calls[1].result}"


def test_words_beside_a_call_stand_before_it_and_are_not_lost() -> None:
    played = PlayedCall(tool="a-b", arguments={"city": "Zürich"}, result="{}", ok=True)
    step = Step(text="Let me look.", calls=(played,))
    assert step_text(step) == (
        'Let me look.\n<tool_call>\n{"name": "a-b", "arguments": {"city": "Zürich"}}\n</tool_call>'
    )


def test_a_call_after_a_thought_alone_is_set_off_as_words_would_be() -> None:
    played = PlayedCall(tool="a-b", arguments={}, result="{}", ok=True)
    assert step_text(Step(text="<think>\nHm.\n</think>", calls=(played,))) == (
        '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "a-b", "arguments": {}}\n</tool_call>'
    )


def test_arguments_that_were_no_object_stay_as_they_were() -> None:
    played = PlayedCall(tool="a-b", arguments='{"city": ', result="{}", ok=False)
    assert step_text(Step(calls=(played,))) == '<tool_call>\n{"name": "a-b", "arguments": {"city": }\n</tool_call>'


def test_a_hidden_step_is_in_the_history_and_never_learned() -> None:
    hidden = relabelled(booking(), {(0, 1): "hide"})
    found = list(samples(hidden, TOOLS))
    text = step_text(hidden.conversation.turns[0].steps[1])
    assert "t-0001/0/1" not in [sample.id for sample in found]
    assert text not in [sample.messages[-1].value for sample in found]
    assert text in [message.value for message in found[-1].messages]


def test_a_removed_step_is_nowhere_and_takes_its_results_along() -> None:
    removed = relabelled(booking(), {(0, 1): "remove"})
    step = removed.conversation.turns[0].steps[1]
    found = list(samples(removed, TOOLS))
    assert [sample.id for sample in found][:3] == ["t-0001/0/0", "t-0001/0/2", "t-0001/1/0"]
    everything = " ".join(message.value for sample in found for message in sample.messages)
    assert step_text(step) not in everything
    assert step.calls[1].result not in everything


def test_a_turn_whose_answer_is_removed_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"trajectory t-0001, turn 0: .*\['calls', 'calls'\]"):
        list(samples(relabelled(booking(), {(0, 2): "remove"}), TOOLS))


def test_a_file_holds_every_sample_on_a_line_and_is_json(tmp_path) -> None:
    found = [sample for trajectory in (booking(), looking()) for sample in samples(trajectory, TOOLS)]
    path = tmp_path / "sft.json"
    assert write_samples(path, iter(found)) == len(found) == 8
    assert orjson.loads(path.read_bytes()) == [sample.row() for sample in found]
    assert len(path.read_bytes().splitlines()) == len(found) + 2
    assert orjson.loads(orjson.loads(path.read_bytes())[0]["tools"])[0]["type"] == "function"


def test_no_samples_are_an_empty_list(tmp_path) -> None:
    assert write_samples(tmp_path / "sft.json", []) == 0
    assert orjson.loads((tmp_path / "sft.json").read_bytes()) == []


def test_a_file_that_could_not_be_finished_leaves_nothing(tmp_path) -> None:
    with pytest.raises(ValueError, match="turn 0"):
        write_samples(tmp_path / "sft.json", samples(relabelled(booking(), {(0, 2): "remove"}), TOOLS))
    assert list(tmp_path.iterdir()) == []


def test_the_description_names_every_column_and_author_that_the_rows_have(tmp_path) -> None:
    info = dataset_info({"mine": "sft.json"})["mine"]
    row = next(samples(booking(), TOOLS)).row()
    assert info["file_name"] == "sft.json"
    assert set(info["columns"].values()) <= row.keys()
    message = row["conversations"][0]
    assert {info["tags"]["role_tag"], info["tags"]["content_tag"]} == message.keys()
    authors = {message["from"] for sample in samples(booking(), TOOLS) for message in sample.row()["conversations"]}
    assert authors <= {info["tags"][tag] for tag in ("user_tag", "assistant_tag", "observation_tag")}
