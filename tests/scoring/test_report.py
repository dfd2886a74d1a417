"""The report: one document, one page, one table, all of the same figures."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import jsonschema
import orjson
import pyarrow.parquet as pq
import pytest

from goldsmith.scoring.records import Half, RowLabel
from goldsmith.scoring.report import Report, RunInfo, report_json, report_schema, write_report
from goldsmith.scoring.report_figures import Figure, Series, by_k, headlines
from goldsmith.scoring.report_plots import line_plot, stacked
from tests.support.reporting import DIGEST, NOTE, full_report, labelled_metrics

if TYPE_CHECKING:
    from pathlib import Path

_BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def report() -> Report:
    return full_report()


@pytest.fixture(scope="module")
def folder(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report")
    write_report(path, report)
    return path


def test_report_json_has_the_documented_shape(folder: Path) -> None:
    document = orjson.loads((folder / "report.json").read_bytes())
    assert set(document) == {"schema_version", "release", "run", "metrics"}
    assert document["release"]["digest"] == DIGEST
    assert document["release"]["version"] == "1.2.0"
    names = {"name", "half", "slice", "value", "numerator", "denominator", "n", "low", "high"}
    assert all(set(metric) == names for metric in document["metrics"])
    undefined = next(m for m in document["metrics"] if m["name"] == "abstention_rate")
    assert (undefined["value"], undefined["denominator"]) == (None, 0)
    jsonschema.validate(document, report_schema())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(extra=1),
        lambda d: d["metrics"][0].update(value="0.5"),
        lambda d: d["metrics"][0].update(half="both"),
        lambda d: d["metrics"][0].pop("low"),
        lambda d: d["run"].pop("digest"),
    ],
)
def test_the_schema_refuses_another_shape(report: Report, spoil: object) -> None:
    document = report_json(report)
    assert callable(spoil)
    spoil(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, report_schema())


def test_equal_reports_give_equal_bytes(folder: Path, report: Report, tmp_path: Path) -> None:
    write_report(tmp_path, report)
    for name in ("report.json", "report.md", "report.html", "rows.parquet"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_rows_hold_a_row_a_query_and_null_for_undefined(folder: Path, report: Report) -> None:
    rows = pq.read_table(folder / "rows.parquet").to_pylist()
    assert [row["query_id"] for row in rows] == list(report.columns[0].query_ids)
    abstained = next(row for row in rows if row["label"] == RowLabel.ABSTAINED)
    assert abstained["citation_accuracy"] is None
    wrong = next(row for row in rows if row["label"] == RowLabel.MISCITATION)
    assert wrong["citation_accuracy"] == 0


class _Page(HTMLParser):
    """What a page refers to, and whether its elements are closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        for name, value in attrs:
            if name in {"src", "href", "action", "data", "srcset"}:
                self.addresses.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses.extend(v or "" for n, v in attrs if n in {"src", "href"})

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read_page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    assert page.open == []
    return page


def test_the_page_is_one_file_that_asks_the_network_for_nothing(folder: Path) -> None:
    page = read_page(folder / "report.html")
    assert page.addresses
    assert all(address.startswith("#") for address in page.addresses)
    assert {address[1:] for address in page.addresses} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    source = (folder / "report.html").read_text("utf-8")
    assert "url(" not in source
    assert "@import" not in source
    assert "<script" not in source


def test_the_page_says_what_it_is_of(folder: Path) -> None:
    text = " ".join(" ".join(read_page(folder / "report.html").text).split())
    for said in ("1.2.0", DIGEST, NOTE, "Labelled half", "Unlabelled half", "17 / 25", "—"):
        assert said in text, said


def test_answers_are_text_on_the_page_not_markup(folder: Path) -> None:
    source = (folder / "report.html").read_text("utf-8")
    assert "&lt;b&gt;" in source
    assert "<b>" not in source


def test_the_gold_span_is_highlighted(folder: Path) -> None:
    source = (folder / "report.html").read_text("utf-8")
    marked = re.findall(r"<mark>(.*?)</mark>", source)
    assert "On the Team plan, audit records are kept for 20 days after they were written." in marked


def test_markdown_and_page_print_the_same_figures(folder: Path, report: Report) -> None:
    markdown = (folder / "report.md").read_text("utf-8")
    page = " ".join(read_page(folder / "report.html").text)
    for metric in report.metrics:
        if metric.slice == "all":
            figure = Figure(metric)
            assert f"| `{figure.name}` | {figure.value} | {figure.fraction} |" in markdown
            assert figure.value in page
            assert figure.fraction in page


def test_markdown_tables_are_whole(folder: Path) -> None:
    lines = (folder / "report.md").read_text("utf-8").splitlines()
    for i, line in enumerate(lines):
        if line.startswith("|---"):
            width = line.count("|")
            assert lines[i - 1].count("|") == width
            for row in lines[i + 1 :]:
                if not row.startswith("|"):
                    break
                assert len(re.findall(r"(?<!\\)\|", row)) == width, row


def test_the_unlabelled_half_alone_makes_a_report(report: Report, tmp_path: Path) -> None:
    alone = replace(
        report,
        release=None,
        triage=None,
        audit=None,
        listings=(),
        metrics=tuple(m for m in report.metrics if m.half is Half.UNLABELLED),
    )
    write_report(tmp_path, alone)
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "Labelled half" not in text
    assert orjson.loads((tmp_path / "report.json").read_bytes())["release"] is None


def test_an_empty_report_is_still_a_report(tmp_path: Path) -> None:
    write_report(tmp_path, Report(run=RunInfo("r", "d", 0), metrics=()))
    assert pq.read_table(tmp_path / "rows.parquet").num_rows == 0
    read_page(tmp_path / "report.html")


def test_headlines_prefer_k_10_and_else_the_deepest() -> None:
    metrics = labelled_metrics()
    assert headlines(metrics, Half.LABELLED)[0].name == "recall@10"
    without = [m for m in metrics if not m.name.endswith("@10")]
    assert headlines(without, Half.LABELLED)[0].name == "recall@20"


def test_series_by_k_put_all_queries_first() -> None:
    series = by_k(labelled_metrics(), "recall")
    assert [one.label for one in series] == ["all", "factoid", "multi_source"]
    assert [k for k, _ in series[0].points] == [1, 3, 5, 10, 20]


def test_plot_geometry() -> None:
    """k = 1, 10, 100 lie at equal distances; 1 is at the top, 0 at the bottom."""
    plot = line_plot("t", [Series("all", ((1, 0.0), (10, 0.5), (100, 1.0)))])
    assert plot is not None
    (first, middle, last) = (tick.position for tick in plot.x_ticks)
    assert middle - first == pytest.approx(last - middle, abs=0.2)
    ys = [y for _, y, _ in plot.lines[0].dots]
    assert ys == [plot.bottom, (plot.top + plot.bottom) / 2, plot.top]
    assert line_plot("t", [Series("all", ((1, 0.5),))]) is None


def test_a_stacked_bar_fills_its_width() -> None:
    parts = stacked({"a": 1, "b": 0, "c": 3})
    assert [(p.label, p.start, p.width) for p in parts] == [("a", 0, 25), ("c", 25, 75)]
    assert stacked({"a": 0}) == []


# -- in a browser ---------------------------------------------------------------------------------


def browse(page: Path, profile: Path, *flags: str) -> str:
    """Open a page in headless Chromium and return what it prints."""
    if _BROWSER is None:
        pytest.skip("no Chromium on this machine: the page was not opened in a browser")
    command = [_BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += [f"--user-data-dir={profile}", *flags, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


_MEASURE = """<!doctype html><title>m</title><iframe id="f" src="report.html"
 style="width:WIDTHpx;height:900px;border:0"></iframe><pre id="out"></pre><script>
addEventListener('load', () => {
  const page = document.getElementById('f').contentDocument.documentElement;
  const wide = [...page.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .skip') &&
    e.getBoundingClientRect().right > page.clientWidth + 1);
  document.getElementById('out').textContent = JSON.stringify({
    scroll: page.scrollWidth, client: page.clientWidth,
    wide: wide.map(e => e.tagName + '.' + e.getAttribute('class')),
    sections: page.querySelectorAll('section').length});
});</script>"""


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_nothing_is_cut_off_on_a_phone_or_a_desk(width: int, folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "report.html", tmp_path / "report.html")
    (tmp_path / "measure.html").write_text(_MEASURE.replace("WIDTH", str(width)), "utf-8")
    shown = browse(
        tmp_path / "measure.html",
        tmp_path / "profile",
        "--allow-file-access-from-files",
        "--virtual-time-budget=3000",
        "--dump-dom",
    )
    found = re.search(r'<pre id="out">(.*?)</pre>', shown, re.DOTALL)
    assert found is not None
    measured = orjson.loads(found[1])
    assert measured["sections"] == 5
    assert measured["wide"] == []
    assert measured["scroll"] == measured["client"]


def test_it_prints(folder: Path, tmp_path: Path) -> None:
    browse(
        folder / "report.html",
        tmp_path / "profile",
        f"--print-to-pdf={tmp_path / 'report.pdf'}",
        "--no-pdf-header-footer",
    )
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
