"""Every prompt file, rendered whole: what a model is told is read and approved as a text.

After a wanted change, look at the difference and write the new text:
`python -m tests.test_prompts`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goldsmith.llm.tasks import (
    TASKS,
    AbsenceVariables,
    AnswerVariables,
    CarriesVariables,
    FactoidVariables,
    GroundednessVariables,
    MultiSourceVariables,
    ProbeVariables,
    RelevanceVariables,
    Source,
    StandaloneVariables,
)
from goldsmith.prompts import load_prompt
from goldsmith.records import LinkType, Record
from goldsmith.scoring.judge_tasks import (
    JUDGE_TASKS,
    AbstentionVariables,
    AnswerRelevanceVariables,
    CorrectnessVariables,
    DecomposeVariables,
    InterpretableVariables,
    PassageRelevanceVariables,
    SufficiencyVariables,
    SupportVariables,
    shown,
)

if TYPE_CHECKING:
    from goldsmith.llm.task import Task

ROOT = Path(__file__).resolve().parents[1]
RENDERED = Path(__file__).with_name("rendered_prompts")

A = Source(label="A", title="Relay Buffer", section="Limits", text="It holds 10,000 events.")
B = Source(label="B", title="Plans", section="Business", text="Business has the Relay Buffer.")
QUESTION = "How many events does the Relay Buffer hold?"
AUDIENCE = "people who run it"

EXAMPLES: dict[type[Record], Record] = {
    FactoidVariables: FactoidVariables(source=A, audience=AUDIENCE, language="en"),
    MultiSourceVariables: MultiSourceVariables(
        sources=(A, B), link=LinkType.BRIDGE, term="Relay Buffer", audience=AUDIENCE, language="en"
    ),
    GroundednessVariables: GroundednessVariables(
        question=QUESTION, answer="10,000 events", sources=(A, B)
    ),
    RelevanceVariables: RelevanceVariables(question=QUESTION, audience=AUDIENCE),
    StandaloneVariables: StandaloneVariables(question=QUESTION),
    AnswerVariables: AnswerVariables(question=QUESTION, sources=(A,)),
    CarriesVariables: CarriesVariables(
        question=QUESTION, fact="10,000 events", quote="It holds 10,000 events.", source=B
    ),
    ProbeVariables: ProbeVariables(
        twin_question=QUESTION,
        twin_answer="10,000 events",
        source=A,
        audience=AUDIENCE,
        language="en",
    ),
    AbsenceVariables: AbsenceVariables(question=QUESTION, source=A),
    DecomposeVariables: DecomposeVariables(
        question=QUESTION, before="Business has it.", sentence="It holds 10,000 events."
    ),
    InterpretableVariables: InterpretableVariables(question=QUESTION, claim=A.text),
    SupportVariables: SupportVariables(claim=A.text, passages=shown((A.text, B.text))),
    AbstentionVariables: AbstentionVariables(question=QUESTION, answer="I do not know."),
    CorrectnessVariables: CorrectnessVariables(
        question=QUESTION, statement=A.text, answer="About 10,000."
    ),
    AnswerRelevanceVariables: AnswerRelevanceVariables(question=QUESTION, answer=A.text),
    PassageRelevanceVariables: PassageRelevanceVariables(question=QUESTION, passage=A.text),
    SufficiencyVariables: SufficiencyVariables(question=QUESTION, passages=shown((A.text,))),
}

PROMPTED = (*TASKS, *JUDGE_TASKS)
"""Every task that has a prompt."""


def rendered(task: Task[Any, Any]) -> str:
    prompt = load_prompt(ROOT / "prompts", task.name, task.variables.model_fields)
    messages = prompt.render(EXAMPLES[task.variables])
    return "".join(f"=== {message.role}\n{message.content}\n" for message in messages)


def approved(task: Task[Any, Any]) -> Path:
    return RENDERED / f"{task.name.replace('/', '-')}.txt"


@pytest.mark.parametrize("task", PROMPTED, ids=lambda task: task.name)
def test_a_prompt_renders_as_approved(task: Task[Any, Any]) -> None:
    assert rendered(task) == approved(task).read_text("utf-8")


@pytest.mark.parametrize("task", PROMPTED, ids=lambda task: task.name)
def test_a_prompt_names_every_field_that_it_wants_back(task: Task[Any, Any]) -> None:
    text = rendered(task)
    for field in task.output.model_fields:
        assert f'"{field}"' in text


@pytest.mark.parametrize("critic", ["groundedness", "relevance", "standalone"])
def test_a_critic_has_a_rubric_for_every_level(critic: str) -> None:
    text = (ROOT / "prompts" / "critique" / f"{critic}.md").read_text("utf-8")
    assert all(f"\n- {level}: " in text for level in range(1, 6))
    assert text.index('"rationale"') < text.index('"rating"')


def test_a_closed_book_prompt_shows_no_passage() -> None:
    task = next(task for task in TASKS if task.name == "critique/answer")
    prompt = load_prompt(ROOT / "prompts", task.name, task.variables.model_fields)
    _, user = prompt.render(AnswerVariables(question=QUESTION, sources=()))
    assert "<passage" not in user.content
    assert "(no passages)" in user.content


def test_there_is_no_prompt_file_without_a_task() -> None:
    folders = ("generate", "critique", "complete", "probe", "judge")
    files = {
        path.relative_to(ROOT / "prompts").with_suffix("").as_posix()
        for folder in folders
        for path in (ROOT / "prompts" / folder).glob("*.md")
    }
    assert files == {task.name for task in PROMPTED}


if __name__ == "__main__":
    RENDERED.mkdir(exist_ok=True)
    for one in PROMPTED:
        approved(one).write_text(rendered(one), "utf-8")
