"""The response cache: keys, damage, full disks, other processes, other machines."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from goldsmith.errors import CacheError, InputError
from goldsmith.llm.cache import FILE_NAME, ResponseCache
from goldsmith.llm.cache_upkeep import cache_stats, export_cache, import_cache, verify_cache
from goldsmith.llm.cached import Cached
from goldsmith.llm.request import NOT_IN_KEY, Reply, Request
from goldsmith.llm.tasks import STANDALONE, StandaloneVariables
from goldsmith.prompts import Message
from tests.llm.test_budget import Costing, a_request
from tests.support.asking import GOOD, Asker, questions
from tests.support.llm_server import Chat, LLMServer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REPLY = Reply(GOOD, tokens_in=7, tokens_out=3, model="m-2026")


def filled(folder: Path, count: int = 300) -> list[Request]:
    """A cache of a few dozen pages."""
    requests = [a_request(number, length=1000) for number in range(count)]
    with ResponseCache(folder) as cache:
        for request in requests:
            cache.put(request, REPLY)
    return requests


def found(folder: Path, requests: list[Request]) -> int:
    with ResponseCache(folder) as cache:
        return sum(cache.get(request.key) == replace(REPLY, cached=True) for request in requests)


# -- keys -----------------------------------------------------------------------------------------

BASE = replace(a_request(), seed=7, output_schema='{"type":"object"}')
OTHERS: dict[str, Any] = {
    "model": "another",
    "messages": (Message(role="system", content=BASE.messages[0].content),),
    "temperature": 0.5,
    "max_tokens": 101,
    "seed": None,
    "output_schema": None,
    "sample": 1,
}


def test_the_key_of_a_request_is_a_promise_to_every_cache() -> None:
    """Changing it makes every paid reply unreachable: raise KEY_VERSION, and say so."""
    assert a_request().key == "4c154be366abacf2a77601264a1ccc6e23bb8095beba050275f99a5b89990243"


@pytest.mark.parametrize("name", OTHERS)
def test_everything_that_changes_a_reply_changes_the_key(name: str) -> None:
    assert replace(BASE, **{name: OTHERS[name]}).key != BASE.key


def test_every_field_is_in_the_key_or_in_the_table_of_what_is_not() -> None:
    left_out = {field.name for field in fields(Request) if field.init} - set(OTHERS)
    assert left_out <= set(NOT_IN_KEY)
    for name in left_out:
        changed: dict[str, Any] = {name: "another"}
        assert replace(BASE, **changed).key == BASE.key


def test_the_parts_of_a_prompt_do_not_run_into_each_other() -> None:
    one = replace(BASE, messages=(Message(role="user", content="ab"),))
    two = replace(
        BASE, messages=(Message(role="user", content="a"), Message(role="user", content="b"))
    )
    assert one.key != two.key


# -- storing --------------------------------------------------------------------------------------


def test_the_first_reply_stays(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        cache.put(BASE, REPLY)
        cache.put(BASE, Reply("another"))
        assert cache.get(BASE.key) == replace(REPLY, cached=True)


@pytest.mark.parametrize("text", ["", "\x00", "\U0001f600 \u2028", "x" * 5_000_000, "日本語"])
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    with ResponseCache(tmp_path) as cache:
        cache.put(BASE, Reply(text))
        stored = cache.get(BASE.key)
    assert stored is not None
    assert stored.text == text


def test_equal_calls_wait_for_one_even_when_it_is_cancelled(tmp_path: Path) -> None:
    async def run() -> list[Reply | BaseException]:
        with ResponseCache(tmp_path) as cache:
            cached = Cached(Costing(), cache)
            tasks = [asyncio.create_task(cached.send(BASE)) for _ in range(3)]
            await asyncio.sleep(0)
            tasks[0].cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

    first, *others = asyncio.run(run())
    assert isinstance(first, asyncio.CancelledError)
    assert all(isinstance(other, Reply) for other in others)


def test_a_full_disk_is_said_and_nothing_further_is_paid(tmp_path: Path) -> None:
    inner = Costing()

    async def run() -> list[Reply | BaseException]:
        with ResponseCache(tmp_path) as cache:
            # SQLite's own limit gives the very error of a full disk.
            pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
            cache._connection.execute(f"PRAGMA max_page_count = {pages + 10}")
            cached = Cached(inner, cache)
            results: list[Reply | BaseException] = []
            for number in range(200):
                sent = cached.send(a_request(number, length=1000))
                results += await asyncio.gather(sent, return_exceptions=True)
            return results

    results = asyncio.run(run())
    kept = [result for result in results if isinstance(result, Reply)]
    errors = [result for result in results if isinstance(result, CacheError)]
    assert 3 < len(kept) < 100
    assert len(kept) + len(errors) == 200
    assert len(inner.sent) == len(kept) + 1, "the reply that did not fit was the last one paid"
    assert "full" in str(errors[0])
    assert "make room" in str(errors[0])
    assert "\n" not in str(errors[0])
    assert found_all(tmp_path, len(kept))


def found_all(folder: Path, count: int) -> bool:
    return cache_stats(folder).replies == count


def test_a_locked_cache_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldsmith.llm.cache_file.LOCK_SECONDS", 0.05)
    filled(tmp_path, 1)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with ResponseCache(tmp_path) as cache, pytest.raises(CacheError, match="another process"):
        cache.put(BASE, REPLY)
    other.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="cannot be made"):
        ResponseCache(tmp_path / "file" / "cache")


def test_a_newer_layout_is_not_touched(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(CacheError, match="layout 99"):
        ResponseCache(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


# -- damage ---------------------------------------------------------------------------------------


def damage(folder: Path, start: float, length: int) -> None:
    path = folder / FILE_NAME
    content = bytearray(path.read_bytes())
    at = int(len(content) * start)
    content[at : at + length] = b"\xff" * length
    path.write_bytes(content)


def test_a_file_that_is_no_cache_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is a text file, and no database at all" * 100)
    with caplog.at_level(logging.WARNING):
        assert found(tmp_path, [BASE]) == 0
    (aside,) = tmp_path.glob("*.damaged-1.sqlite")
    assert aside.read_bytes().startswith(b"this is a text file")
    assert str(aside) in caplog.text


def test_of_a_damaged_file_the_rest_is_saved(tmp_path: Path) -> None:
    requests = filled(tmp_path)
    damage(tmp_path, 0.5, 6000)
    check = verify_cache(tmp_path)
    assert check.set_aside is not None
    assert 280 <= check.replies < 300, "three pages of some 90, at most"
    assert found(tmp_path, requests) == check.replies
    assert verify_cache(tmp_path).set_aside is None


def test_damage_that_is_met_in_the_middle_says_what_to_do(tmp_path: Path) -> None:
    requests = filled(tmp_path)
    damage(tmp_path, 0.5, 6000)
    with pytest.raises(CacheError, match="goldsmith cache verify") as caught:
        found(tmp_path, requests)
    assert "\n" not in str(caught.value)


def test_a_reply_that_was_tampered_with_is_asked_for_again(tmp_path: Path) -> None:
    requests = filled(tmp_path, 3)
    connection = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    changed = b'{"finish":"stop","model":"m","text":"{}","tokens_in":1,"tokens_out":1}'
    for request in requests[:2]:
        connection.execute("UPDATE replies SET reply = ? WHERE key = ?", (changed, request.key))
    connection.close()
    assert found(tmp_path, requests[:1]) == 0
    check = verify_cache(tmp_path)
    assert check.removed == (requests[1].key,)
    assert check.replies == 1


def test_two_that_meet_the_damage_set_it_aside_once(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    code = (
        "import sys; from pathlib import Path; from goldsmith.llm.cache import ResponseCache\n"
        "sys.stdin.readline(); ResponseCache(Path(sys.argv[1])).close()"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path], stdin=subprocess.PIPE)
        for _ in range(3)
    ]
    for process in processes:
        process.communicate(b"\n")
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len(list(tmp_path.glob("*.damaged-*.sqlite"))) == 1


# -- other processes ------------------------------------------------------------------------------


def start(url: str, asker: Asker, count: int, concurrency: int) -> subprocess.Popen[bytes]:
    folder = str(asker.cache.parent)
    module = ["-m", "tests.support.keep_asking"]
    return subprocess.Popen(
        [sys.executable, *module, url, folder, str(count), str(concurrency)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["pipeline", "."])},
    )


def test_two_processes_at_once_lose_nothing(asker: Asker) -> None:
    """Each asks every question: at most 2 x 150 calls, and one cache of 150 replies."""
    with LLMServer(default=Chat(GOOD, latency=0.01)) as server:
        processes = [start(server.url, asker, 150, 8) for _ in range(2)]
        for process in processes:
            out, err = process.communicate()
            assert (out, err) == (b"150\n", b"")
        assert 150 <= len(server.seen) <= 300
    assert cache_stats(asker.cache).replies == 150
    assert verify_cache(asker.cache).removed == ()


def test_a_killed_process_pays_twice_only_for_what_was_under_way(asker: Asker) -> None:
    """Two kills at 8 calls at a time: at most 300 + 2 x 8 calls, and the rest from the cache."""
    kills, concurrency, total = 2, 8, 300
    with LLMServer(default=Chat(GOOD, latency=0.005)) as server:
        for kill in range(1, kills + 1):
            process = start(server.url, asker, total, concurrency)
            while len(server.seen) < kill * 90:
                assert process.poll() is None, process.communicate()
                server.wait_for_request()
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
            process.communicate()
        out, err = start(server.url, asker, total, concurrency).communicate()
        assert (out, err) == (b"300\n", b"")
        assert total <= len(server.seen) <= total + kills * concurrency


# -- other machines -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cache.jsonl", "cache.jsonl.gz"])
def test_an_exported_cache_rebuilds_without_a_call(asker: Asker, tmp_path: Path, name: str) -> None:
    with LLMServer(default=Chat(GOOD)) as server:
        first = asker.ask(server.url, questions(30))
    assert export_cache(asker.cache, tmp_path / name) == 30
    there = Asker(asker.prompts, tmp_path / "elsewhere")
    result = import_cache(there.cache, tmp_path / name)
    assert (result.read, result.added, result.present) == (30, 30, 0)
    with LLMServer() as server:
        assert there.ask(server.url, questions(30), offline_cache=True) == first
    assert server.seen == []
    assert import_cache(there.cache, tmp_path / name).present == 30
    export_cache(there.cache, tmp_path / f"again-{name}")
    assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_an_export_can_hold_the_calls_of_one_release(tmp_path: Path) -> None:
    requests = filled(tmp_path / "cache", 10)
    wanted = {request.key for request in requests[:3]}
    assert export_cache(tmp_path / "cache", tmp_path / "some.jsonl", wanted) == 3


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda lines: [*lines[:1], b'{"key": 1}\n'], "line 2"),
        (lambda lines: [lines[0], lines[1].replace(b"xxx", b"yyy", 1)], "line 2"),
        (lambda lines: [lines[0][:-20]], "line 1"),
        (lambda lines: [b"not json"], "line 1"),
    ],
)
def test_a_spoilt_export_is_refused_whole(
    tmp_path: Path, spoil: Callable[[list[bytes]], list[bytes]], words: str
) -> None:
    filled(tmp_path / "cache", 3)
    path = tmp_path / "export.jsonl"
    export_cache(tmp_path / "cache", path)
    path.write_bytes(b"".join(spoil(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(InputError, match=words):
        import_cache(tmp_path / "new", path)
    assert cache_stats(tmp_path / "new").replies == 0


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.jsonl.gz", "broken.jsonl.gz"])
def test_an_export_that_cannot_be_read_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "broken.jsonl.gz").write_bytes(b"\x1f\x8b\x08broken")
    with pytest.raises(InputError, match=name):
        import_cache(tmp_path / "new", tmp_path / name)


@pytest.mark.parametrize("look", [cache_stats, verify_cache])
def test_no_cache_is_said_and_none_is_made(tmp_path: Path, look: Callable[[Path], object]) -> None:
    with pytest.raises(CacheError, match="no cache"):
        look(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_what_a_cache_holds(asker: Asker) -> None:
    with LLMServer(default=Chat(GOOD, usage=(70, 9))) as server:
        asker.ask(server.url, questions(5))
    stats = cache_stats(asker.cache)
    assert (stats.replies, stats.tokens_in, stats.tokens_out) == (5, 350, 45)
    assert stats.by_model == {"small-model": 5}
    assert stats.by_task == {"critique/standalone": 5}


def test_a_miss_names_the_task_and_not_the_text(asker: Asker) -> None:
    async def run() -> None:
        async with asker.model("http://127.0.0.1:9/v1", offline_cache=True) as model:
            await model.run(STANDALONE, StandaloneVariables(question="What is private?"))

    with pytest.raises(CacheError) as caught:
        asyncio.run(run())
    assert "critique/standalone" in str(caught.value)
    assert "private" not in str(caught.value)


def test_replies_that_come_together_are_stored_together_and_a_cancelled_call_keeps_its_own(
    tmp_path: Path,
) -> None:
    async def run() -> list[Reply | BaseException]:
        with ResponseCache(tmp_path) as cache:
            cached = Cached(Costing(), cache)
            tasks = [asyncio.create_task(cached.send(a_request(n))) for n in range(20)]
            while not cached._unstored:  # noqa: ASYNC110 - turns of the loop, not time
                await asyncio.sleep(0)
            tasks[0].cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

    first, *others = asyncio.run(run())
    assert isinstance(first, asyncio.CancelledError)
    assert all(isinstance(other, Reply) for other in others)
    assert cache_stats(tmp_path).replies == 20
