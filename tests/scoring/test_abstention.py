from __future__ import annotations

import pytest

from goldsmith.scoring.abstention import Abstention, abstains, abstention_of
from goldsmith.scoring.run_records import RecordedClaim, RunRecord


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "I don't know."),
        ("en", "I could not find anything about Starter plans in the documents."),
        ("en", "The provided documentation does not mention a Starter plan [p-1]."),
        ("en", "There is no information about Starter plans in the handbook."),
        ("en", "Unfortunately, the period for Starter plans is not specified in the context."),
        ("en", "I\u2019m sorry, but I can\u2019t answer that."),
        ("en", "This question cannot be answered from the given passages."),
        ("en", "No information available."),
        ("en", "Unknown."),
        ("en", "Based on the context, I am unable to determine the limit."),
        ("de", "Das weiß ich leider nicht."),
        ("de", "Dazu kann ich keine Angaben finden."),
        ("de", "Im Kontext wird die Frist nicht erwähnt."),
        ("de", "Die Dokumentation enthält dazu keine Informationen."),
        ("fr", "Je ne sais pas."),
        ("fr", "Le document ne mentionne pas cette limite."),
        ("es", "No lo sé."),
        ("es", "El contexto no menciona los planes Starter."),
        ("it", "Non lo so."),
        ("pt", "Não sei responder."),
        ("nl", "Dat weet ik niet."),
        ("nl", "Ik kan dit niet vinden in de documenten."),
        ("ru", "Я не знаю."),
        ("ru", "В документе не указан срок хранения."),
        ("pl", "Nie wiem."),
        ("ja", "この文書には記載がありません。"),
        ("ja", "わかりません。"),
        ("zh", "文档中没有提到该计划。"),
        ("zh", "我不知道。"),
        ("ko", "문서에서 찾을 수 없습니다."),
        ("ar", "لا أعرف."),
        # Whatever the language of the question, systems also say it in English.
        ("ja", "I don't know."),
        ("xx", "I don't know."),
    ],
)
def test_ways_of_saying_that_there_is_no_answer(language: str, answer: str) -> None:
    assert abstains(answer, language)


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "The retention period cannot be changed from the dashboard [p-3312]."),
        ("en", "No data is kept after 90 days."),
        ("en", "The API does not provide a delete call."),
        ("en", "Business plans keep records for 90 days. The handbook does not mention Starter."),
        ("en", "If you do not know your token, create a new one."),
        ("en", "Unknown fields are rejected [p-2]."),
        ("en", "The workspace has no details page."),
        ("en", "Not on the Starter plan: it has no audit log [p-4]."),
        ("en", "Information is not provided to third parties [p-9]."),
        ("en", "The document does not expire."),
        ("en", "A page that was not found returns 404."),
        ("en", "You will not find the audit log in the dashboard; it is under Settings."),
        ("de", "Die Frist kann nicht geändert werden."),
        ("fr", "Le délai ne peut pas être modifié."),
        ("es", "No se puede cambiar desde el panel."),
        ("it", "Non è possibile cambiarlo."),
        ("ja", "期間は変更できません。"),
        ("zh", "无法从控制面板更改。"),
        ("en", ""),
        ("en", "[p-1]"),
    ],
)
def test_an_answer_with_a_negation_is_an_answer(language: str, answer: str) -> None:
    assert not abstains(answer, language)


def test_the_flag_wins_over_words_and_markers() -> None:
    flagged = RunRecord("q", [], answer="Kept for 90 days [p-1].", abstained=True)
    assert abstention_of(flagged) == Abstention(abstained=True, inferred=False)
    denied = RunRecord("q", [], answer="I don't know.", abstained=False)
    assert abstention_of(denied) == Abstention(abstained=False, inferred=False)


def test_without_a_flag_the_words_are_read_and_that_is_said() -> None:
    unsure = RunRecord("q", [], answer="I don't know.")
    assert abstention_of(unsure) == Abstention(abstained=True, inferred=True)
    claims = RunRecord("q", [], claims=(RecordedClaim("I don't know."),))
    assert abstention_of(claims).abstained
    # Nothing said is no abstention: it is an empty output.
    assert abstention_of(RunRecord("q", [])) == Abstention(abstained=False, inferred=True)
    assert not abstention_of(RunRecord("q", [], claims=())).abstained
