"""The gate's verdict for a terminal, for a pull request (Markdown), for scripts, and for CI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from rich.markup import escape
from rich.table import Table

from goldsmith.scoring.gate import Decision

if TYPE_CHECKING:
    from goldsmith.scoring.gate import GateResult, GateRow

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


def gate_table(result: GateResult) -> Table:
    """For a terminal."""
    table = Table(title=escape(_title(result)))
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading in ("metric", "decision") else "right")
    for row in result.rows:
        *cells, decision = (escape(cell) for cell in _cells(row))
        style = _STYLES[row.decision]
        table.add_row(*cells, f"[{style}]{decision}[/{style}]")
    return table


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
        interval = f"[{_number(comparison.low)}, {_number(comparison.high)}]"
        left_out = f" ({comparison.unpaired} left out)" if comparison.unpaired else ""
        between = [
            f"{comparison.difference:+.4f}",
            interval,
            f"{comparison.p:.4g} ({comparison.p_adjusted:.4g}), {comparison.test}",
            _number(comparison.detectable),
            f"{comparison.pairs}{left_out}",
        ]
    return [row.entry.label, _number(row.candidate), _number(row.baseline), *between, decision]


def _number(value: float | None) -> str:
    return _DASH if value is None else f"{value:.4f}"


def _xml(text: str) -> str:
    """Without the characters that no XML document may hold."""
    return _NOT_IN_XML.sub("\ufffd", text)
