"""A task over real sockets: prompt in, typed outcome out, and what happens on the way."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import CacheError, ModelError, SettingsError
from goldsmith.llm.schema import strict_schema
from goldsmith.llm.tasks import STANDALONE, TASKS, RatingReply, StandaloneVariables
from goldsmith.records import Record, Usage
from tests.support.asking import GOOD, KEY, PROMPT, Asker, questions
from tests.support.llm_server import Answer, Body, Chat, LLMServer, Status

if TYPE_CHECKING:
    from goldsmith.llm.task import Outcome, Task


def test_a_task_goes_out_as_its_prompt_and_comes_back_typed(asker: Asker) -> None:
    with LLMServer([Chat(GOOD, usage=(70, 9))]) as server:
        (outcome,) = asker.ask(server.url)
    assert outcome.value == RatingReply(rationale="clear", rating=4)
    assert outcome.usage == Usage(calls=1, tokens_in=70, tokens_out=9)
    assert outcome.raw == GOOD
    assert outcome.prompt is not None
    assert outcome.prompt.startswith("critique/standalone@")
    sent = server.seen[0].body
    assert sent["model"] == "small-model"
    assert sent["messages"] == [
        {"role": "system", "content": "You rate questions. Reply in JSON."},
        {"role": "user", "content": "Question: What is the limit?"},
    ]
    assert (sent["temperature"], sent["max_tokens"], sent["seed"]) == (0.0, 300, 7)
    wanted = sent["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert list(wanted["schema"]["properties"]) == ["rationale", "rating"]
    assert wanted["schema"]["required"] == ["rationale", "rating"]
    assert wanted["schema"]["additionalProperties"] is False


def test_a_second_build_makes_no_calls_and_says_the_same(asker: Asker) -> None:
    asked = questions(20)
    with LLMServer(default=Chat(GOOD)) as server:
        first = asker.ask(server.url, asked)
        again = asker.ask(server.url, asked, offline_cache=True)
        assert len(server.seen) == 20
    assert first == again  # usage included: a rebuild reports the cost of the build


def test_a_miss_is_an_error_when_no_calls_are_allowed(asker: Asker) -> None:
    with LLMServer() as server, pytest.raises(CacheError, match="critique/standalone"):
        asker.ask(server.url, offline_cache=True)
    assert server.seen == []


def test_equal_calls_at_the_same_time_are_paid_once(asker: Asker) -> None:
    async def run(url: str) -> list[Outcome[RatingReply]]:
        async with asker.model(url) as model:
            return await asyncio.gather(*(model.run(STANDALONE, variables) for _ in range(10)))

    variables = StandaloneVariables(question="What is the limit?")
    with LLMServer(default=Chat(GOOD, latency=0.02)) as server:
        outcomes = asyncio.run(run(server.url))
    assert len(server.seen) == 1
    assert len(set(map(repr, outcomes))) == 1


def test_a_faulty_reply_is_asked_again_with_its_fault(asker: Asker) -> None:
    faulty = '{"rationale": "fine", "rating": "4.5"}'
    with LLMServer([Chat(faulty), Chat(GOOD)]) as server:
        (outcome,) = asker.ask(server.url)
    assert outcome.value == RatingReply(rationale="clear", rating=4)
    # Both replies were paid: 2 x 100 tokens in, 2 x 20 out.
    assert outcome.usage == Usage(calls=2, reasks=1, tokens_in=200, tokens_out=40)
    roles = [message["role"] for message in server.seen[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert server.seen[1].messages[2] == faulty
    assert "expected a whole number, found '4.5'" in server.seen[1].messages[3]


@pytest.mark.parametrize("reasks", [0, 1, 3])
def test_reasks_are_bounded_and_the_last_reply_is_kept(asker: Asker, reasks: int) -> None:
    with LLMServer(default=Chat("Total rating: four")) as server:
        (outcome,) = asker.ask(server.url, max_reasks=reasks)
    assert (outcome.value, outcome.failure) == (None, "unparseable")
    assert outcome.raw == "Total rating: four"
    assert outcome.usage.reasks == reasks
    assert len(server.seen) == 1 + reasks


@pytest.mark.parametrize(
    ("answer", "failure", "calls"),
    [
        (Chat(None, refusal="I will not."), "refused", 1),
        (Chat("申し訳ありませんが、お答えできません。"), "refused", 1),
        (Chat("", finish="content_filter"), "filtered", 1),
        (Chat('{"rationale": "on and on', finish="length"), "truncated", 2),
        (Chat(GOOD, finish="length"), "truncated", 2),
        (Chat(""), "empty", 2),
        (Chat(None), "empty", 2),
        (Status(400, "context length exceeded", "context_length_exceeded"), "request_rejected", 0),
        (Status(400, "filtered", "content_filter"), "filtered", 0),
    ],
)
def test_no_reply_of_these_is_an_output_or_is_kept(
    asker: Asker, answer: Answer, failure: str, calls: int
) -> None:
    with LLMServer(default=answer) as server:
        (outcome,) = asker.ask(server.url)
        assert (outcome.value, outcome.failure) == (None, failure)
        assert outcome.usage.calls == calls
        before = len(server.seen)
        asker.ask(server.url)
        assert len(server.seen) == 2 * before, "the cache served a reply that is none"


def test_a_reply_that_cannot_be_read_is_kept_for_it_was_paid(asker: Asker) -> None:
    with LLMServer(default=Chat("no object here")) as server:
        first = asker.ask(server.url)
        assert asker.ask(server.url, offline_cache=True) == first


def refuses_shapes(*refused: str) -> LLMServer:
    def answer(seen: object) -> Answer:
        shape = seen.body.get("response_format", {}).get("type")  # type: ignore[attr-defined]
        return Status(400, f"response_format {shape} is not supported") if shape in refused else ok

    ok = Chat(GOOD)
    return LLMServer(default=answer)


@pytest.mark.parametrize(
    ("refused", "shapes"),
    [
        (("json_schema",), ["json_schema", "json_object", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None, None]),
    ],
)
def test_the_plainest_shape_that_an_endpoint_needs_is_remembered(
    asker: Asker,
    caplog: pytest.LogCaptureFixture,
    refused: tuple[str, ...],
    shapes: list[str | None],
) -> None:
    with refuses_shapes(*refused) as server, caplog.at_level(logging.WARNING):
        outcomes = asker.ask(server.url, ["one?", "two?"], concurrency=1)
    assert [outcome.failure for outcome in outcomes] == [None, None]
    assert [s.body.get("response_format", {}).get("type") for s in server.seen] == shapes
    assert len(caplog.records) == len(refused)
    assert '"rationale"' in server.seen[-1].messages[-1], "the schema is in the prompt instead"


@pytest.mark.parametrize("name", ["temperature", "seed"])
def test_a_parameter_that_is_refused_is_left_out_and_said_once(
    asker: Asker, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    def answer(seen: object) -> Answer:
        known = name not in seen.body  # type: ignore[attr-defined]
        return Chat(GOOD) if known else Status(400, f"Unsupported value: {name!r}", param=name)

    with LLMServer(default=answer) as server, caplog.at_level(logging.WARNING):
        asker.ask(server.url, ["one?", "two?", "three?"], concurrency=1)
    assert len(server.seen) == 4
    assert len([r for r in caplog.records if name in r.getMessage()]) == 1


def test_newer_models_get_the_length_under_its_newer_name(asker: Asker) -> None:
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    with LLMServer([Status(400, said)], default=Chat(GOOD)) as server:
        asker.ask(server.url)
    assert server.seen[1].body["max_completion_tokens"] == 300
    assert "max_tokens" not in server.seen[1].body


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Status(401, f"Incorrect API key provided: {KEY}"), "refuses the key"),
        (Status(403, "not in your country"), "refuses the key"),
        (Status(404, "no such model", "model_not_found"), "model 'small-model' is not to be had"),
        (Status(400, "no such model", param="model"), "model 'small-model' is not to be had"),
        (Body(b"<html>Not here</html>", 404, "text/html"), "base_url"),
        (Status(429, "You exceeded your quota", "insufficient_quota"), "no quota left"),
    ],
)
def test_an_endpoint_that_cannot_be_used_stops_the_build_in_one_line(
    asker: Asker, answer: Answer, words: str
) -> None:
    with LLMServer(default=answer) as server, pytest.raises(ModelError) as caught:
        asker.ask(server.url)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.seen) == 1


def test_no_key_is_said_before_anything_is_sent(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with LLMServer() as server, pytest.raises(ModelError, match="OPENAI_API_KEY"):
        asker.ask(server.url)
    assert server.seen == []


def test_a_prompt_that_does_not_fit_its_task_is_named(asker: Asker) -> None:
    path = asker.prompts / "critique" / "standalone.md"
    path.write_text(PROMPT.replace("{{ question }}", "{{ answer }}"), "utf-8")
    with LLMServer() as server, pytest.raises(SettingsError, match=r"standalone\.md"):
        asker.ask(server.url)


def test_prompts_of_different_rows_share_no_text(asker: Asker) -> None:
    with LLMServer(default=Chat(GOOD)) as server:
        asker.ask(server.url, ["apples?", "pears?", "plums?"], concurrency=1)
    assert "apples" not in json.dumps(server.seen[2].body)


def test_the_schema_of_every_task_can_be_sent() -> None:
    def forbidden(node: object) -> list[str]:
        if isinstance(node, list):
            return [word for item in node for word in forbidden(item)]
        if not isinstance(node, dict):
            return []
        found = [
            word
            for word in ("default", "minLength", "title")
            if isinstance(node.get(word), str | int)
        ]
        return found + [word for item in node.values() for word in forbidden(item)]

    def check(task: Task[Record, Record]) -> None:
        schema = json.loads(strict_schema(task.output))
        assert forbidden(schema) == []
        assert schema["required"] == list(task.output.model_fields)

    for task in TASKS:
        check(task)
