"""`goldsmith build` against an endpoint that is paid for: real commands, sockets and kills.

Every command is a process of its own (`tests.support.forked`), and the endpoint counts the requests
that reach it, so that each test can say what was paid.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.batch_server import BatchEndpoint, Line
from tests.support.forked import Forked, Running
from tests.support.llm_server import LLMServer, completion
from tests.support.scribe import ALL_NAMES, PLANTED, Scribe, write_corpus

if TYPE_CHECKING:
    from tests.support.command import Finished

CONCURRENCY = 8
KEY = "sk-planted-secret-0123456789"
PRICE = {"input": 2.0, "output": 8.0}
SETTINGS = (
    *("chunk.language=en", "sample.factoid=32", "sample.multi_source=20"),
    *("complete.depth=2", "complete.audit_share=0", "probe.depth=4"),
    *(f"concurrency={CONCURRENCY}", "prices={m: {input: 2.0, output: 8.0}}"),
)
FEW = (*SETTINGS, "sample.factoid=10", "sample.multi_source=4")
FEW_NAMES = 10


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    with Forked() as forked:
        yield forked


@dataclass
class Paying:
    """Builds of one corpus at one endpoint, into a folder and a cache."""

    forked: Forked
    corpus: Path
    folder: Path
    scribe: Scribe
    url: str
    settings: tuple[str, ...] = SETTINGS

    @property
    def env(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": KEY, "GOLDSMITH_CACHE": str(self.folder / "cache")}

    def start(self, *more: str, out: str = "out", **options: Any) -> Running:  # noqa: ANN401
        chosen = (f"base_url={self.url}", *self.settings, *more)
        return self.forked.start(
            *("build", "--corpus", self.corpus, "--out", self.folder / out),
            *("--model", "openai", "--model-name", "m", "--json"),
            *(f"--set={setting}" for setting in chosen),
            env=self.env,
            **options,
        )

    def build(self, *more: str, **options: Any) -> Finished:  # noqa: ANN401 - as `start` takes them
        return self.start(*more, **options).wait()

    def goldsmith(self, *arguments: str | Path) -> Finished:
        """Another command on the same cache; it needs no key."""
        return self.forked.run(*arguments, env={"GOLDSMITH_CACHE": self.env["GOLDSMITH_CACHE"]})


Opener = Callable[..., Paying]


@pytest.fixture
def paying(forked: Forked, tmp_path: Path) -> Iterator[Opener]:
    """Opens an endpoint, for builds of a few questions of `tmp_path`."""
    with ExitStack() as stack:

        def opened(scribe: Scribe | None = None, names: int = FEW_NAMES) -> Paying:
            scribe = scribe or Scribe()
            server = stack.enter_context(LLMServer(default=scribe))
            corpus = write_corpus(tmp_path / "corpus", names)
            settings = FEW if names == FEW_NAMES else SETTINGS
            return Paying(forked, corpus, tmp_path, scribe, server.url, settings)

        yield opened


@dataclass(frozen=True)
class Undisturbed:
    """A build that nothing happened to, and what it asked."""

    paying: Paying
    finished: Finished
    calls: int

    @property
    def document(self) -> dict[str, Any]:
        return built(self.finished)

    @property
    def release(self) -> Path:
        return Path(self.document["release"])


@pytest.fixture(scope="module")
def undisturbed(forked: Forked, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Of all names: some 500 calls."""
    return build_undisturbed(forked, tmp_path_factory.mktemp("undisturbed"), ALL_NAMES, SETTINGS)


@pytest.fixture(scope="module")
def small(forked: Forked, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Of a few names: some 100 calls."""
    return build_undisturbed(forked, tmp_path_factory.mktemp("small"), FEW_NAMES, FEW)


def build_undisturbed(
    forked: Forked, folder: Path, names: int, settings: tuple[str, ...]
) -> Undisturbed:
    scribe = Scribe()
    with LLMServer(default=scribe) as server:
        corpus = write_corpus(folder / "corpus", names)
        paying = Paying(forked, corpus, folder, scribe, server.url, settings)
        return Undisturbed(paying, paying.build(), scribe.count)


def built(finished: Finished) -> dict[str, Any]:
    """What a build that succeeded says of itself; every row of its account adds up."""
    assert finished.status == 0, finished.err
    document: dict[str, Any] = json.loads(finished.out)
    for row in document["funnel"]:
        lost = sum(row["rejected"].values()) + sum(row["failed"].values())
        assert row["requested"] == row["kept"] + lost, row
    return document


def files_of(release: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(release.iterdir())}


def one_line(finished: Finished) -> str:
    assert "Traceback" not in finished.err
    (error,) = [line for line in finished.err.splitlines() if line.startswith("error:")]
    return error


# -- nothing is paid twice, nothing is lost ------------------------------------------------------


def test_killed_at_ten_points_it_pays_only_for_what_was_under_way(
    paying: Opener, undisturbed: Undisturbed
) -> None:
    assert undisturbed.calls >= 500
    points = sorted(Random(7).sample(range(1, undisturbed.calls), 10))
    running: list[Running] = []

    def kill(count: int) -> None:
        if count in points:
            os.kill(running[-1].pid, signal.SIGKILL)

    paid = paying(Scribe(on_request=kill), ALL_NAMES)
    for _ in points:
        running.append(paid.start())
        assert running[-1].wait().status == -signal.SIGKILL
    document = built(paid.build())
    assert paid.scribe.count <= undisturbed.calls + len(points) * CONCURRENCY
    assert document["digest"] == undisturbed.document["digest"]
    # To the last byte: what the calls cost does not depend on when they were paid.
    assert files_of(Path(document["release"])) == files_of(undisturbed.release)
    verified = paid.goldsmith("verify", document["release"], "--json")
    assert verified.status == 0, verified.err


def test_two_builds_at_once_share_a_cache(paying: Opener, small: Undisturbed) -> None:
    paid = paying()
    both = [paid.start(out="one"), paid.start(out="other")]
    documents = [built(running.wait()) for running in both]
    assert {d["digest"] for d in documents} == {small.document["digest"]}
    # What both ask at the same moment is asked twice, and nothing is asked by either twice.
    assert small.calls <= paid.scribe.count <= 2 * small.calls
    assert paid.goldsmith("cache", "verify").status == 0
    stats = json.loads(paid.goldsmith("cache", "stats", "--json").out)
    assert stats["replies"] == small.calls


def test_a_disk_that_fills_up_stops_the_build_and_it_goes_on_from_there(
    paying: Opener, small: Undisturbed
) -> None:
    paid = paying()
    stopped = paid.build(most_bytes=120_000)
    assert stopped.status == 2
    assert "make room and run again" in one_line(stopped)
    before = paid.scribe.count
    assert 0 < before < small.calls
    assert built(paid.build())["digest"] == small.document["digest"]
    assert paid.scribe.count <= small.calls + CONCURRENCY


def test_a_cache_that_is_no_cache_is_set_aside(paying: Opener, small: Undisturbed) -> None:
    paid = paying()
    (paid.folder / "cache").mkdir()
    spoilt = b"no database " * 1000
    (paid.folder / "cache" / "responses.sqlite").write_bytes(spoilt)
    assert built(paid.build())["digest"] == small.document["digest"]
    assert paid.scribe.count == small.calls
    assert spoilt in [path.read_bytes() for path in (paid.folder / "cache").iterdir()]


# -- a budget ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "limit", ["max_calls=115", "max_tokens=62000", "max_cost=0.14"], ids=lambda v: v.split("=")[0]
)
def test_at_a_limit_the_status_is_3_and_a_larger_one_pays_only_the_rest(
    paying: Opener, small: Undisturbed, limit: str
) -> None:
    """The limits are more than any stage needs by itself: they hold for all of them together."""
    paid = paying()
    stopped = paid.build(limit)
    assert stopped.status == 3
    assert stopped.out == ""
    assert limit.replace("=", ": ") in one_line(stopped)
    largest = max(row["calls"] for row in small.document["ledger"][:-1])
    assert largest < paid.scribe.count < small.calls
    # The stages that were finished have tables and accounts that can be read.
    metrics = paid.folder / "out" / "metrics"
    finished = {path.stem: json.loads(path.read_text()) for path in metrics.iterdir()}
    assert finished["select"]["funnel"][0]["requested"] > 0
    assert "probe" not in finished
    document = built(paid.build())
    assert paid.scribe.count == small.calls
    assert document["digest"] == small.document["digest"]


# -- what it cost --------------------------------------------------------------------------------


def test_the_ledger_is_that_of_the_endpoint(undisturbed: Undisturbed) -> None:
    *stages, total = undisturbed.document["ledger"]
    asking = ["generate", "critique", "complete", "probe"]
    assert [row["stage"] for row in stages] == asking
    assert total["calls"] == undisturbed.calls
    assert total["cached"] == 0
    # "Cedar" never gets JSON (one call, one re-ask, one failure); "Dogwood" at its second try.
    assert (total["reasks"], total["failed"]) == (2, 1)
    assert (stages[0]["reasks"], stages[0]["failed"]) == (2, 1)
    assert total["paid_money"] == total["money"]
    manifest = json.loads((undisturbed.release / "manifest.json").read_text())
    for row in stages:
        usage = manifest["usage"][row["stage"]]
        assert usage == {name: row[name] for name in usage}
        assert manifest["figures"]["cost"]["money_by_stage"][row["stage"]] == row["money"]
    rate = manifest["figures"]["cost"]["money"]
    kept = sum(undisturbed.document["kept"].values())
    expected = total["tokens_in"] * PRICE["input"] + total["tokens_out"] * PRICE["output"]
    assert rate["total"] == pytest.approx(expected / 1_000_000)
    assert rate["kept"] == kept
    card = (undisturbed.release / "README.md").read_text("utf-8")
    row = stages[0]
    assert (
        f"| generate | {row['calls']} | 2 | 1 | {row['tokens_in']} | {row['tokens_out']} | "
        f"{row['money']:.4f} |"
    ) in card


def test_a_rebuild_says_what_was_cached_and_seals_the_same_bytes(undisturbed: Undisturbed) -> None:
    again = built(undisturbed.paying.build(out="again"))
    total = again["ledger"][-1]
    assert total["cached"] == total["calls"] == undisturbed.calls
    assert total["paid_money"] == 0.0
    assert files_of(Path(again["release"])) == files_of(undisturbed.release)


def test_what_a_build_cost_is_printed_at_its_end(undisturbed: Undisturbed) -> None:
    paid = undisturbed.paying
    printed = paid.forked.run(
        *("build", "--corpus", paid.corpus, "--out", paid.folder / "printed"),
        *("--model", "openai", "--model-name", "m", "--offline-cache"),
        *(f"--set={setting}" for setting in SETTINGS if not setting.startswith("prices")),
        env=paid.env,
    )
    assert printed.status == 0, printed.err
    assert "re-asked" in printed.out
    each = undisturbed.calls / sum(undisturbed.document["kept"].values())
    assert f"a kept question cost {each:.1f} calls" in printed.out
    assert "no price for 'm' in runtime.yaml" in printed.out


def test_an_early_stop_among_the_critics_says_what_it_saved(paying: Opener) -> None:
    paid = paying(Scribe(rated_low=("Birch", "Elder", "Fir", "Gorse", "Hazel")))
    whole = built(paid.build(out="whole"))
    calls = paid.scribe.count
    stopped = built(paid.build("critique.stop_below=3", out="stopped"))
    assert paid.scribe.count == calls, "every call of it was made before"
    saved = stopped["calls_saved"]
    assert saved > 0
    assert whole["calls_saved"] == 0
    assert stopped["ledger"][-1]["calls"] == whole["ledger"][-1]["calls"] - saved
    assert stopped["kept"] == whole["kept"]
    rows = [row for row in stopped["funnel"] if row["stage"] == "critique"]
    assert sum(row["failed"].get("skipped_after_standalone", 0) for row in rows) == saved
    card = Path(stopped["release"], "README.md").read_text("utf-8")
    assert f"saved {saved} calls" in card


# -- batches -------------------------------------------------------------------------------------


def test_a_build_in_batches_is_killed_and_sends_nothing_twice(
    forked: Forked, small: Undisturbed, tmp_path: Path
) -> None:
    scribe = Scribe()

    def line(body: dict[str, Any]) -> Line:
        return 200, json.loads(completion(scribe.reply(body), usage=(70, 9)))

    endpoint = BatchEndpoint(line=line)
    with LLMServer(default=endpoint) as server:
        settings = (*FEW, "mode=batch")
        paid = Paying(forked, small.paying.corpus, tmp_path, scribe, server.url, settings)
        kills = 0
        for batches in (1, 3):  # after so many were created, before they are collected
            running = paid.start(impatient=True)
            while len(endpoint.batches) < batches:
                server.wait_for_request()
            os.kill(running.pid, signal.SIGKILL)
            kills += running.wait().status == -signal.SIGKILL
        assert kills == 2
        document = built(paid.build(impatient=True))
    assert set(endpoint.sent.values()) == {1}
    total = document["ledger"][-1]
    assert total["calls"] == sum(endpoint.sent.values())
    # A stage is one batch a step, not one batch for each eight calls.
    largest = max(content.count(b'"custom_id"') for content in endpoint.files.values())
    assert largest >= 10
    assert document["digest"] == small.document["digest"]


# -- the cache goes to a colleague ---------------------------------------------------------------


def test_a_colleague_rebuilds_from_an_exported_cache_without_a_call_or_a_key(
    undisturbed: Undisturbed, tmp_path: Path
) -> None:
    theirs, export = undisturbed.paying, tmp_path / "replies.jsonl.gz"
    exported = theirs.goldsmith("cache", "export", export, "--json")
    assert json.loads(exported.out) == {"exported": undisturbed.calls}
    mine = Paying(theirs.forked, theirs.corpus, tmp_path, Scribe(), "http://127.0.0.1:1/v1")
    assert mine.goldsmith("cache", "import", export).status == 0
    arguments: tuple[str | Path, ...] = (
        *("build", "--corpus", mine.corpus, "--out", tmp_path / "out", "--json"),
        *("--model", "openai", "--model-name", "m", "--offline-cache"),
        *(f"--set={setting}" for setting in SETTINGS),
    )
    cache = {"GOLDSMITH_CACHE": str(tmp_path / "cache")}
    document = built(mine.forked.run(*arguments, env=cache))
    assert document["digest"] == undisturbed.document["digest"]
    assert files_of(Path(document["release"])) == files_of(undisturbed.release)
    # One call that is not there is an error, and says of which task.
    missed = mine.forked.run(*arguments, "--set=generate.audience=sailors", env=cache)
    assert missed.status == 2
    assert "'generate/factoid'" in one_line(missed)
    assert "not in the cache" in one_line(missed)


def test_a_cache_that_was_tampered_with_is_told(paying: Opener) -> None:
    import sqlite3  # noqa: PLC0415 - only here

    paid = paying()
    built(paid.build())
    with sqlite3.connect(paid.folder / "cache" / "responses.sqlite") as connection:
        connection.execute("UPDATE replies SET reply = '{}' WHERE rowid IN (1, 2)")
    checked = paid.goldsmith("cache", "verify", "--json")
    assert checked.status == 1, checked.err
    assert len(json.loads(checked.out)["removed"]) == 2
    calls = paid.scribe.count
    built(paid.build(out="again"))
    assert paid.scribe.count == calls + 2
    assert paid.goldsmith("cache", "verify").status == 0


# -- documents are data ----------------------------------------------------------------------------


def test_a_page_that_tells_the_critics_what_to_say_changes_nothing_and_is_flagged(
    paying: Opener,
) -> None:
    paid = paying()
    page = paid.corpus / "Pump-AlderWorks.md"
    page.write_text(f"{page.read_text()}{PLANTED}\n")
    document = built(finished := paid.build("sample.factoid=20"))
    # Every critic that saw the page said 2, and then, as told, 5: the 2 stands.
    rows = {row["kind"]: row for row in document["funnel"] if row["stage"] == "select"}
    assert rows["factoid"]["rejected"] == {"low_groundedness": 1}
    (found,) = json.loads((Path(document["release"]) / "manifest.json").read_text())["figures"][
        "instructions"
    ]
    assert found["words"] == "Ignore your instructions"
    assert found["questions"] == []
    assert f"passage {found['chunk_id']} speaks to a language model" in finished.err
    assert f"Passage `{found['chunk_id']}`" in Path(document["release"], "README.md").read_text()


# -- secrets -------------------------------------------------------------------------------------


def test_no_file_of_a_build_holds_the_key(undisturbed: Undisturbed) -> None:
    files = [path for path in undisturbed.paying.folder.rglob("*") if path.is_file()]
    assert {"manifest.json", "README.md", "responses.sqlite"} <= {path.name for path in files}
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in undisturbed.finished.out + undisturbed.finished.err
