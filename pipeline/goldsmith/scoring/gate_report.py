"""The gate's verdict for a terminal, for a pull request (Markdown), for scripts, and for CI."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from rich.console import Group
from rich.table import Table
from rich.text import Text

from goldsmith.scoring.gate import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.scoring.gate import Comparison, GateResult, GateRow

_HEADINGS = (
    "metric",
    "candidate",
    "baseline",
    "difference",
    "95% interval",
    "p (adjusted)",
    "detectable",
    "pairs",
    "decision",
)
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLES = {
    Decision.PASS: "green",
    Decision.FAIL: "bold red",
    Decision.CANNOT_JUDGE: "yellow",
    Decision.PASSED_OVER: "dim",
}
_DASH = "\u2014"


def gate_view(result: GateResult) -> Group:
    """For a terminal of any width: a metric a line, what is known of it beside, the decision."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for row in result.rows:
        grid.add_row(
            Text(_words(row.decision), style=_STYLES[row.decision]),
            Text(row.entry.label.replace(" ", "\n  ")),
            _number(row.candidate),
            Text("\n".join(_sentences(row)), style="dim"),
        )
    counts = Counter(row.decision for row in result.rows)
    tally = ", ".join(f"{n} {_words(decision)}" for decision, n in counts.items())
    decision = Text(f"{_words(result.decision)}: ", style=f"bold {_STYLES[result.decision]}")
    return Group(Text(_title(result), style="bold"), grid, decision.append(tally, style="not bold"))


def _words(decision: Decision) -> str:
    return decision.value.replace("_", " ")


def _sentences(row: GateRow) -> Iterator[str]:
    """What stands beside a metric's value: the reason of the decision first."""
    if row.reason:
        yield row.reason
    if row.comparison is None:
        return
    found = row.comparison
    yield f"baseline {_number(row.baseline)}"
    yield f"difference {found.difference:+.4f} {_interval(found)}"
    yield f"p {found.p:.4g}, adjusted {found.p_adjusted:.4g}"
    yield f"{found.test}, {found.pairs} pairs{_left_out(found)}"
    yield f"smallest difference to be seen {_number(found.detectable)}"


def gate_markdown(result: GateResult) -> str:
    """For a comment on a pull request; ends in a newline."""
    lines = [
        f"## Gate: {result.decision}",
        "",
        _title(result),
        "",
        f"| {' | '.join(_HEADINGS)} |",
        f"|{'|'.join(' --- ' for _ in _HEADINGS)}|",
    ]
    for row in result.rows:
        cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in _cells(row))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def gate_json(result: GateResult) -> dict[str, Any]:
    """For scripts: every number unrounded, null where there is none."""
    return {
        "decision": result.decision,
        "exit_status": int(result.exit_status),
        "candidate": result.candidate,
        "baseline": result.baseline,
        "release_digest": result.digest,
        "judge": result.judge,
        "metrics": [_row_json(row) for row in result.rows],
    }


def _row_json(row: GateRow) -> dict[str, Any]:
    comparison = row.comparison
    return {
        **row.entry.model_dump(mode="json"),
        "decision": row.decision,
        "reason": row.reason,
        "candidate": row.candidate,
        "baseline": row.baseline,
        "comparison": None
        if comparison is None
        else {name: getattr(comparison, name) for name in comparison.__slots__},
    }


def gate_junit(result: GateResult) -> bytes:
    """JUnit XML: a test case a metric; what cannot be judged is an error, not a failure."""
    counts = [row.decision for row in result.rows]
    suite = ET.Element(
        "testsuite",
        name="goldsmith gate",
        tests=str(len(counts)),
        failures=str(counts.count(Decision.FAIL)),
        errors=str(counts.count(Decision.CANNOT_JUDGE)),
        skipped=str(counts.count(Decision.PASSED_OVER)),
    )
    elements = {
        Decision.FAIL: "failure",
        Decision.CANNOT_JUDGE: "error",
        Decision.PASSED_OVER: "skipped",
    }
    for row in result.rows:
        case = ET.SubElement(
            suite, "testcase", classname="goldsmith.gate", name=_xml(row.entry.label)
        )
        if row.decision in elements:
            ET.SubElement(case, elements[row.decision], message=_xml(row.reason))
        output = ", ".join(
            f"{heading}: {cell}" for heading, cell in zip(_HEADINGS, _cells(row), strict=True)
        )
        ET.SubElement(case, "system-out").text = _xml(output)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _title(result: GateResult) -> str:
    against = f"against {result.baseline}" if result.baseline else "against fixed thresholds"
    gold = f"release {result.digest[:12]}" if result.digest else "no release"
    judge = f"judge {result.judge}" if result.judge else "no judge"
    return f"{result.candidate} {against} ({gold}, {judge})"


def _cells(row: GateRow) -> list[str]:
    comparison = row.comparison
    decision = f"{row.decision}: {row.reason}" if row.reason else str(row.decision)
    if comparison is None:
        between = [_DASH] * 5
    else:
        between = [
            f"{comparison.difference:+.4f}",
            _interval(comparison),
            f"{comparison.p:.4g} ({comparison.p_adjusted:.4g}), {comparison.test}",
            _number(comparison.detectable),
            f"{comparison.pairs}{_left_out(comparison)}",
        ]
    return [row.entry.label, _number(row.candidate), _number(row.baseline), *between, decision]


def _interval(comparison: Comparison) -> str:
    return f"[{_number(comparison.low)}, {_number(comparison.high)}]"


def _left_out(comparison: Comparison) -> str:
    return f" ({comparison.unpaired} left out)" if comparison.unpaired else ""


def _number(value: float | None) -> str:
    return _DASH if value is None else f"{value:.4f}"


def _xml(text: str) -> str:
    """Without the characters that no XML document may hold."""
    return _NOT_IN_XML.sub("\ufffd", text)
