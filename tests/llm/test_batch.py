"""Batches over real sockets: joined by key, taken up after a kill, never sent twice."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from goldsmith.errors import BudgetExceededError, ModelError
from goldsmith.llm.cache import FILE_NAME
from goldsmith.llm.cache_upkeep import cache_stats
from goldsmith.llm.connection import Connection
from goldsmith.llm.opening import pending_calls
from goldsmith.llm.tasks import STANDALONE, StandaloneVariables
from goldsmith.settings import CallMode, RuntimeSettings
from tests.support.asking import GOOD, KEY, Asker, questions
from tests.support.batch_server import BatchEndpoint, Line, good_line, refused_line
from tests.support.llm_server import Answer, Chat, LLMServer, Seen, Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from goldsmith.llm.task import Outcome
    from goldsmith.llm.tasks import RatingReply

COUNT = 40


def ask(
    asker: Asker,
    server: LLMServer,
    count: int = COUNT,
    **options: Any,  # noqa: ANN401 - as `Asker.model` takes them
) -> list[Outcome[RatingReply]]:
    """All questions at once, as a stage asks in batch mode."""
    options = {"mode": CallMode.BATCH, "concurrency": 1000} | options
    return asker.ask(server.url, questions(count), **options)


def ratings(outcomes: list[Outcome[RatingReply]]) -> list[int | str | None]:
    return [o.value.rating if o.value else o.failure for o in outcomes]


def rating_by_number(body: dict[str, Any]) -> Line:
    """A rating that depends on the question, so that a wrong join shows."""
    number = int(body["messages"][1]["content"].rpartition(" ")[2].rstrip("?"))
    status, response = good_line(body)
    text = f'{{"rationale": "{number}", "rating": {number % 5 + 1}}}'
    response["choices"][0]["message"]["content"] = text
    return status, response


def journal(asker: Asker) -> list[tuple[str, str | None]]:
    with closing(sqlite3.connect(asker.cache / FILE_NAME)) as connection:
        return connection.execute("SELECT label, batch_id FROM batches").fetchall()


def test_a_stage_is_one_batch_and_every_reply_finds_its_call(asker: Asker) -> None:
    endpoint = BatchEndpoint(line=rating_by_number)
    with LLMServer(default=endpoint) as server:
        outcomes = ask(asker, server)
    assert ratings(outcomes) == [number % 5 + 1 for number in range(COUNT)]
    assert (outcomes[0].usage.tokens_in, outcomes[0].usage.tokens_out) == (70, 9)
    assert len(endpoint.batches) == 1
    assert journal(asker) == []
    with LLMServer() as server:
        assert ask(asker, server, mode=CallMode.ONLINE, offline_cache=True) == outcomes


def test_only_what_is_missing_is_sent(asker: Asker) -> None:
    with LLMServer(default=Chat(GOOD)) as server:
        asker.ask(server.url, questions(15))
    endpoint = BatchEndpoint()
    with LLMServer(default=endpoint) as server:
        ask(asker, server)
    assert endpoint.sent.total() == COUNT - 15


def test_a_faulty_reply_goes_into_a_further_batch(asker: Asker) -> None:
    def line(body: dict[str, Any]) -> Line:
        status, response = good_line(body)
        if len(body["messages"]) == 2:
            response["choices"][0]["message"]["content"] = "no object"
        return status, response

    endpoint = BatchEndpoint(line=line)
    with LLMServer(default=endpoint) as server:
        outcomes = ask(asker, server)
    assert ratings(outcomes) == [4] * COUNT
    assert all(outcome.usage.reasks == 1 for outcome in outcomes)
    assert len(endpoint.batches) == 2


def test_what_an_expired_batch_left_is_sent_again(asker: Asker) -> None:
    """Twenty of forty are answered, then ten of twenty, then all: 40 + 20 + 10 calls."""
    endpoint = BatchEndpoint(["expired", "expired"], line=rating_by_number)
    with LLMServer(default=endpoint) as server:
        outcomes = ask(asker, server)
    assert ratings(outcomes) == [number % 5 + 1 for number in range(COUNT)]
    assert endpoint.sent.total() == 40 + 20 + 10


def test_what_never_gets_done_is_data(asker: Asker) -> None:
    """Five rounds, and then a failed outcome for the last call: 40, 20, 10, 5, 3, 2 left over."""
    endpoint = BatchEndpoint(["expired"] * 9)
    with LLMServer(default=endpoint) as server:
        outcomes = ask(asker, server)
    # 40 leave 20, then 10, 5, 3 (half of 5 is 2), 2.
    assert ratings(outcomes).count("unanswered") == 2
    assert len(endpoint.batches) == 5


def test_lines_fail_alone(asker: Asker) -> None:
    def line(body: dict[str, Any]) -> Line:
        question = body["messages"][1]["content"]
        if "item 7?" in question:
            return refused_line("too long", code="context_length_exceeded")
        if "item 8?" in question:
            return refused_line("flagged", code="content_filter")
        return rating_by_number(body)

    with LLMServer(default=BatchEndpoint(line=line)) as server:
        outcomes = ask(asker, server, 10)
    assert ratings(outcomes)[:7] == [1, 2, 3, 4, 5, 1, 2]
    assert ratings(outcomes)[7:] == ["request_rejected", "filtered", 5]


def test_lines_that_fail_in_passing_are_sent_again(asker: Asker) -> None:
    seen: set[str] = set()

    def line(body: dict[str, Any]) -> Line:
        question = body["messages"][1]["content"]
        if question not in seen:
            seen.add(question)
            return refused_line("overloaded", 503)
        return good_line(body)

    endpoint = BatchEndpoint(line=line)
    with LLMServer(default=endpoint) as server:
        assert ratings(ask(asker, server)) == [4] * COUNT
    assert endpoint.sent.total() == 2 * COUNT


def test_the_dialect_is_learned_from_refused_lines(asker: Asker) -> None:
    def line(body: dict[str, Any]) -> Line:
        shape = body.get("response_format", {}).get("type")
        if shape == "json_schema":
            return refused_line("response_format json_schema is not supported")
        assert shape == "json_object"
        return good_line(body)

    endpoint = BatchEndpoint(line=line)
    with LLMServer(default=endpoint) as server:
        assert ratings(ask(asker, server)) == [4] * COUNT
    assert len(endpoint.batches) == 2


@pytest.mark.parametrize(
    ("ending", "words"),
    [("failed: invalid_file", "failed .* invalid_file"), ("cancelled", "cancelled after 40 of 40")],
)
def test_a_batch_that_is_called_off_stops_the_build(asker: Asker, ending: str, words: str) -> None:
    with LLMServer(default=BatchEndpoint([ending])) as server:
        with pytest.raises(ModelError, match=words) as caught:
            ask(asker, server)
        assert "\n" not in str(caught.value)
        assert journal(asker) == []
        kept = cache_stats(asker.cache).replies
        assert kept == (20 if ending == "cancelled" else 0)
        assert ratings(ask(asker, server)) == [4] * COUNT


def test_an_account_that_takes_less_gets_smaller_batches(asker: Asker) -> None:
    endings = ["failed: token_limit_exceeded", "failed: token_limit_exceeded"]
    endpoint = BatchEndpoint(endings)
    with LLMServer(default=endpoint) as server:
        assert ratings(ask(asker, server)) == [4] * COUNT
    sizes = [
        len(endpoint.files[batch["input_file_id"]].splitlines())
        for batch in endpoint.batches.values()
    ]
    # Forty were too many, then one of the two halves.
    assert sizes == [40, 20, 20, 10, 10]


def test_a_budget_holds_in_batches_too(asker: Asker) -> None:
    endpoint = BatchEndpoint()
    with LLMServer(default=endpoint) as server:
        with pytest.raises(BudgetExceededError):
            ask(asker, server, max_calls=25)
        assert endpoint.sent.total() == 25
        assert ratings(ask(asker, server, max_calls=15)) == [4] * COUNT


def test_trouble_on_the_way_is_met_with_patience(asker: Asker) -> None:
    """Every second request fails; a batch whose creation failed is looked for before it is sent."""
    endpoint = BatchEndpoint(line=rating_by_number)
    count = 0

    def answer(seen: Seen) -> Answer:
        nonlocal count
        count += 1
        done = endpoint(seen)  # the endpoint may well have done what its response does not say
        return Status(502) if count % 2 else done

    with LLMServer(default=answer) as server:
        outcomes = ask(asker, server)
    assert ratings(outcomes) == [number % 5 + 1 for number in range(COUNT)]
    assert set(endpoint.sent.values()) == {1}


# -- kills ----------------------------------------------------------------------------------------


class Frozen:
    """Stops a process at its nth request, before or after the endpoint has seen it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool) -> None:
        self.reached = asyncio.Event()
        self._left = at
        for name in ("post", "get", "download", "upload"):
            original = getattr(Connection, name)
            monkeypatch.setattr(Connection, name, self._freezing(original, after=after))

    def _freezing(
        self, original: Callable[..., Awaitable[object]], *, after: bool
    ) -> Callable[..., Awaitable[object]]:
        async def call(*args: object) -> object:
            self._left -= 1
            if self._left == 0 and not after:
                await self._freeze()
            result = await original(*args)
            if self._left == 0:
                await self._freeze()
            return result

        return call

    async def _freeze(self) -> None:
        self.reached.set()
        await asyncio.Event().wait()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, 7))
def test_a_kill_at_any_point_sends_nothing_twice(
    asker: Asker, monkeypatch: pytest.MonkeyPatch, at: int, after: bool
) -> None:
    """The requests are: upload, create, three looks, one file. The second run does the rest."""
    endpoint = BatchEndpoint(line=rating_by_number, page=1)
    with LLMServer(default=endpoint) as server:
        with monkeypatch.context() as patch:

            async def run_until_killed() -> None:
                frozen = Frozen(patch, at, after=after)
                async with asker.model(server.url, mode=CallMode.BATCH) as model:
                    tasks = [
                        asyncio.create_task(
                            model.run(STANDALONE, StandaloneVariables(question=question))
                        )
                        for question in questions(COUNT)
                    ]
                    await frozen.reached.wait()
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)

            asyncio.run(run_until_killed())
        outcomes = ask(asker, server, 50)
    assert ratings(outcomes) == [number % 5 + 1 for number in range(50)]
    assert set(endpoint.sent.values()) == {1}
    assert endpoint.sent.total() == 50
    assert journal(asker) == []


def test_a_real_kill_is_survived(asker: Asker) -> None:
    """SIGKILL from the endpoint's side while the response to `create` is on its way."""
    endpoint = BatchEndpoint(line=rating_by_number)
    process: subprocess.Popen[bytes] | None = None

    def answer(seen: Seen) -> Answer:
        done = endpoint(seen)
        if seen.path == "/v1/batches" and process is not None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        return done

    with LLMServer(default=answer) as server:
        folder = str(asker.cache.parent)
        command = ["-m", "tests.support.keep_asking", server.url, folder, "40", "40", "batch"]
        path = {"PYTHONPATH": os.pathsep.join(["pipeline", "."])}
        process = subprocess.Popen([sys.executable, *command], env={**os.environ, **path})
        assert process.wait() == -signal.SIGKILL
        process = None
        assert ratings(ask(asker, server)) == [number % 5 + 1 for number in range(COUNT)]
    assert set(endpoint.sent.values()) == {1}


def test_a_batch_that_the_endpoint_forgot_is_sent_again(
    asker: Asker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = BatchEndpoint()
    with LLMServer(default=endpoint) as server:

        async def look(*_: object) -> None:
            raise ModelError("stopped")

        with monkeypatch.context() as patch:
            patch.setattr("goldsmith.llm.batches.BatchApi.look", look)
            with pytest.raises(ModelError, match="stopped"):
                ask(asker, server)
        endpoint.batches.clear()
        assert len(journal(asker)) == 1
        ask(asker, server, 1, mode=CallMode.ONLINE)
        assert f"{COUNT} calls of an earlier run are out in batches" in caplog.text
        # The one that was asked online has the other rating.
        assert ratings(ask(asker, server)) == [5] + [4] * (COUNT - 1)


def test_the_key_is_in_no_file_of_a_batch(asker: Asker) -> None:
    endpoint = BatchEndpoint()
    with LLMServer(default=endpoint) as server:
        ask(asker, server)
    outputs = [*endpoint.files.values(), *(p.read_bytes() for p in asker.cache.iterdir())]
    assert all(KEY.encode() not in output for output in outputs)


def test_a_stage_in_batches_has_all_its_calls_pending() -> None:
    assert pending_calls(RuntimeSettings(concurrency=5)) == 5
    assert pending_calls(RuntimeSettings(concurrency=5, mode=CallMode.BATCH)) > 10_000
