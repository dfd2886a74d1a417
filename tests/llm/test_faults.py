"""An endpoint in trouble, over real sockets: what is tried again, what is data, what stops a build.

Waiting is on a clock that only the waits move, so these tests take no time and can add waits up.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
from email.utils import formatdate
from itertools import chain, repeat

import pytest

from goldsmith.errors import ModelError
from goldsmith.llm.retrying import Patience
from goldsmith.llm.tasks import STANDALONE, StandaloneVariables
from tests.support.asking import GOOD, Asker, ManualClock, questions
from tests.support.llm_server import (
    Answer,
    Body,
    Chat,
    Endless,
    LLMServer,
    Reset,
    Seen,
    Silent,
    Status,
    completion,
)

OK = Chat(GOOD)
FOUR = [4]


def ratings(asker: Asker, server: LLMServer, **options: object) -> list[int | str | None]:
    return [
        outcome.value.rating if outcome.value else outcome.failure
        for outcome in asker.ask(server.url, **options)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again(asker: Asker, status: int) -> None:
    with LLMServer([Status(status), Status(status), OK]) as server:
        assert ratings(asker, server) == FOUR
    assert len(server.seen) == 3


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_stays_is_not(asker: Asker, status: int) -> None:
    with LLMServer(default=Status(status, "too long")) as server:
        assert ratings(asker, server) == ["request_rejected"]
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        Reset(),
        Body(b"\xff\xfe{not utf-8"),
        Body(b'{"choices": [{"message": {"content": "\xff\xff"}}]}'),
        Body(b'{"choices": [{"message": {"content": "\\ud800"}}]}'),
        Body(b"<html><body>502 Bad Gateway</body></html>", content_type="text/html"),
        Body(b""),
        Body(b"null"),
        Body(b"[]"),
        Body(b'{"choices": []}'),
        Body(b'{"choices": [null]}'),
        Body(b'{"choices": [{}]}'),
        Body(b'{"error": {"message": "overloaded", "code": 529}}'),
        Body(b'{"choices": ' + b"[" * 5000 + b"]" * 5000 + b"}"),
        Body(completion(GOOD)[:40]),
    ],
    ids=lambda trouble: repr(trouble)[:60],
)
def test_half_a_response_is_none(asker: Asker, trouble: Answer) -> None:
    with LLMServer([trouble, OK]) as server:
        assert ratings(asker, server) == FOUR
    assert len(server.seen) == 2


@pytest.mark.parametrize("trouble", [Silent(), Endless(), Endless(piece=b" ", pause=0.001)])
def test_a_reply_that_does_not_end_is_cut_off_in_time(asker: Asker, trouble: Answer) -> None:
    with LLMServer([trouble, OK]) as server:
        assert ratings(asker, server, timeout_seconds=0.15) == FOUR
    assert len(server.seen) == 2


def test_a_body_that_floods_is_cut_off_before_it_fills_the_memory(asker: Asker) -> None:
    with LLMServer([Endless(piece=b" " * 1_000_000, pause=0), OK]) as server:
        assert ratings(asker, server, timeout_seconds=60) == FOUR


def test_a_bomb_that_unpacks_is_cut_off_too(asker: Asker) -> None:
    packed = gzip.compress(b" " * 200_000_000, 1)
    with LLMServer([Body(packed, encoding="gzip"), OK]) as server:
        assert ratings(asker, server, timeout_seconds=60) == FOUR


def test_ten_megabytes_are_read_as_what_they_are(asker: Asker) -> None:
    rationale = "long " * 2_000_000
    with LLMServer([Chat(f'{{"rationale": "{rationale}", "rating": 4}}')]) as server:
        (outcome,) = asker.ask(server.url)
    assert outcome.value is not None
    assert outcome.value.rationale == rationale


def test_json_a_thousand_deep_is_a_faulty_reply(asker: Asker) -> None:
    deep = '{"a":' * 1000 + "1" + "}" * 1000
    with LLMServer(default=Chat(deep)) as server:
        (outcome,) = asker.ask(server.url)
    assert outcome.failure == "unparseable"
    assert outcome.raw == deep


@pytest.mark.parametrize("trouble", [Status(500), Body(b"{}"), Body(b"<html>", content_type="x/y")])
def test_one_bad_request_among_good_ones_is_data(asker: Asker, trouble: Answer) -> None:
    """Six attempts, then a failed outcome; the other nineteen questions are answered."""

    def answer(seen: Seen) -> Answer:
        return trouble if "item 7?" in seen.messages[1] else OK

    with LLMServer(default=answer) as server:
        outcomes = asker.ask(server.url, questions(20))
    assert [o.failure for o in outcomes if o.failure] == ["unanswered"]
    assert outcomes[7].detail
    assert len(server.seen) == 19 + 6


@pytest.mark.parametrize("trouble", [Status(500), Status(429), Silent(), Reset(), Body(b"<html>")])
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_dead_endpoint_is_given_up_and_what_was_answered_stays(
    asker: Asker, trouble: Answer, concurrency: int
) -> None:
    clock = ManualClock()
    patience = Patience(attempts=3, failing_after=6)
    # Only a silent endpoint is met by the time limit; a slow machine must not be.
    options = {"concurrency": concurrency, "timeout_seconds": 0.5 if trouble == Silent() else 30}
    with (
        LLMServer(chain(repeat(OK, 30), repeat(trouble))) as server,
        pytest.raises(ModelError, match="does not answer") as caught,
    ):
        asker.ask(server.url, questions(60), clock=clock, patience=patience, **options)
    assert "\n" not in str(caught.value)
    assert clock.time <= 2 * 300, "the time a silent endpoint is given, and one last call"
    with LLMServer(default=OK) as server:
        assert len(asker.ask(server.url, questions(60))) == 60
    assert len(server.seen) == 30


def test_a_closed_port_is_said_in_one_line(asker: Asker) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match=f"no connection to {url}"):
        asker.ask(url, questions(20))


# -- being told to slow down ----------------------------------------------------------------------

WALL = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "7.5"}, 7.5),
        ({"retry-after-ms": "7250"}, 7.25),
        ({"retry-after": formatdate(WALL + 7, usegmt=True)}, 7),
        # The server's clock is an hour fast; its own date says so.
        (
            {
                "retry-after": formatdate(WALL + 3607, usegmt=True),
                "date": formatdate(WALL + 3600, usegmt=True),
            },
            7,
        ),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_the_time_that_the_endpoint_names_is_kept(
    asker: Asker, status: int, headers: dict[str, str], seconds: float
) -> None:
    clock = ManualClock(WALL)
    with LLMServer([Status(status, headers=headers), OK]) as server:
        assert ratings(asker, server, clock=clock) == FOUR
    # At least what was asked for, and at most half a second of jitter more.
    assert seconds <= clock.time <= seconds + 0.5


@pytest.mark.parametrize("value", ["soon", "", "-5", "nan", "inf", "1e999", "Tue, 99 Foo 2026"])
def test_a_time_that_makes_no_sense_is_passed_over(asker: Asker, value: str) -> None:
    clock = ManualClock()
    with LLMServer([Status(429, headers={"retry-after": value}), OK]) as server:
        assert ratings(asker, server, clock=clock) == FOUR
    assert clock.time <= 1


def test_a_date_in_the_past_is_no_reason_to_wait(asker: Asker) -> None:
    clock = ManualClock(WALL)
    clock.set_wall(WALL + 86_400)  # the clock on the wall jumped a day ahead
    headers = {"retry-after": formatdate(WALL, usegmt=True)}
    with LLMServer([Status(429, headers=headers), OK]) as server:
        assert ratings(asker, server, clock=clock) == FOUR
    assert clock.time <= 1


def test_an_hour_of_waiting_is_an_answer_in_itself(asker: Asker) -> None:
    with (
        LLMServer(default=Status(429, headers={"retry-after": "3600"})) as server,
        pytest.raises(ModelError, match="wait 3600 s, longer than retry_seconds"),
    ):
        asker.ask(server.url, questions(20), concurrency=4)
    assert len(server.seen) <= 4


@pytest.mark.parametrize("headers", [{}, {"retry-after": "2"}])
def test_a_storm_of_429_is_ridden_out(asker: Asker, headers: dict[str, str]) -> None:
    """Every question is answered once, and nothing fails, however long the storm."""
    with LLMServer(chain(repeat(Status(429, headers=headers), 60)), default=OK) as server:
        assert ratings(asker, server, asked=questions(40), concurrency=16) == FOUR * 40
    assert len(server.seen) == 60 + 40


def test_the_same_trouble_is_met_with_the_same_waits(asker: Asker) -> None:
    waits = []
    for _ in range(2):
        clock = ManualClock()
        with LLMServer([Status(500), Status(502), Status(503), OK]) as server:
            ratings(asker, server, clock=clock, asked=["What?"])
        waits.append(clock.waits)
        (asker.cache / "responses.sqlite").unlink()
    assert waits[0] == waits[1]
    # Half to all of 0.5, 1 and 2 seconds.
    assert [bound / 2 <= wait <= bound for bound, wait in zip((0.5, 1, 2), waits[0], strict=True)]


def test_patience_is_counted_in_attempts(asker: Asker) -> None:
    patience = Patience(attempts=2, failing_after=5)
    with LLMServer(default=Status(500)) as server:
        assert ratings(asker, server, patience=patience) == ["unanswered"]
    assert len(server.seen) == 2


def test_an_idle_build_is_not_held_against_the_endpoint(asker: Asker) -> None:
    """Ten minutes pass before the first call, which fails; the others are still asked."""
    clock = ManualClock()

    def answer(seen: Seen) -> Answer:
        return Status(500) if "item 0?" in seen.messages[1] else OK

    async def run(url: str) -> list[str | None]:
        async with asker.model(url, clock=clock) as model:
            clock.time += 600
            variables = (StandaloneVariables(question=question) for question in questions(3))
            return [(await model.run(STANDALONE, v)).failure for v in variables]

    with LLMServer(default=answer) as server:
        assert asyncio.run(run(server.url)) == ["unanswered", None, None]
