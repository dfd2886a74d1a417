from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.decoding import decode
from goldsmith.corpus.documents import read, sources
from goldsmith.corpus.languages import detect_language
from goldsmith.records import Document, Dropped
from goldsmith.settings import ChunkSettings

if TYPE_CHECKING:
    from pathlib import Path


def found(folder: Path) -> dict[str, Document | Dropped]:
    items = list(read(sources(folder), ChunkSettings()))
    return {item.source if isinstance(item, Document) else item.item_id: item for item in items}


def document(folder: Path, name: str, content: str | bytes) -> Document:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    item = found(folder)[name]
    assert isinstance(item, Document), item
    return item


def refusal(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    item = found(folder)[name]
    assert isinstance(item, Dropped), item
    return item.reason


def test_the_order_is_that_of_names_on_every_machine(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.md", "a.md", "B.md"):
        document(tmp_path, name, "# Title\n\nSome text.")
    (tmp_path / ".hidden.md").write_text("no")
    assert [source.name for source in sources(tmp_path)] == ["B.md", "a.md", "a/z.md", "b.md"]


def test_text_is_normalised_once(tmp_path: Path) -> None:
    raw = "\ufeff\r\nCafe\u0301 one\r\ntwo\rthree\x07\x00 four \n\n"
    assert document(tmp_path, "a.md", raw).text == "Café one\ntwo\nthree four"


def test_front_matter_is_metadata_not_text(tmp_path: Path) -> None:
    page = document(
        tmp_path, "a.md", "---\ntitle: Buffer\nreviewed: 2026-01-02\n---\n# Limits\n\nText."
    )
    assert page.title == "Buffer"
    assert json.loads(page.metadata) == {"title": "Buffer", "reviewed": "2026-01-02"}
    assert page.text == "# Limits\n\nText."
    assert page.headings[0].start == 0


@pytest.mark.parametrize("head", ["---\n: [broken\n---\n", "---\njust a rule\n---\n"])
def test_what_is_no_front_matter_stays_text(tmp_path: Path, head: str) -> None:
    assert document(tmp_path, "a.md", head + "Text.").text.startswith("---")


def test_the_title_is_the_first_heading_else_the_name(tmp_path: Path) -> None:
    assert document(tmp_path, "a.md", "# Relay *Buffer*\n\nText.").title == "Relay Buffer"
    assert document(tmp_path, "rate-limits.md", "Only text here.").title == "rate limits"


def test_a_text_file_with_rst_headings_is_rst(tmp_path: Path) -> None:
    rst = "Limits\n======\n\nSee :doc:`other` and ``code``.\n\nMore\n----\n\nText.\n"
    page = document(tmp_path, "a.txt", rst)
    assert page.format == "rst"
    assert [(h.level, h.title) for h in page.headings] == [(1, "Limits"), (2, "More")]
    assert document(tmp_path, "b.txt", "Plain text, no markup.").format == "text"


def test_html_keeps_the_content_and_drops_the_furniture(tmp_path: Path) -> None:
    article = "<p>The Relay Buffer holds at most ten thousand events per workspace.</p>" * 5
    page = document(
        tmp_path,
        "a.html",
        "<html><head><title>T</title><script>var x=1</script></head><body>"
        "<nav><a href='/'>Home</a><a href='/b'>Everything else</a></nav>"
        f"<main><article><h1>Relay Buffer</h1>{article}"
        "<table><tr><th>Plan</th><th>Events</th></tr><tr><td>Team</td><td>500</td></tr></table>"
        "</article></main><footer>All rights reserved</footer></body></html>",
    )
    assert "ten thousand events" in page.text
    assert "| Team | 500 |" in page.text
    assert "var x" not in page.text
    assert "Everything else" not in page.text


def test_a_page_without_main_content_keeps_its_visible_text(tmp_path: Path) -> None:
    assert "short note" in document(tmp_path, "a.html", "<html><body>short note</body></html>").text


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("blank.md", b" \n\t\n", "no_text"),
        ("empty.md", b"", "no_text"),
        ("rules.md", b"---\n***\n", "no_text"),
        ("noise.md", bytes(range(256)) * 40, "undecodable"),
        ("settings.yml", b"a: 1", "unsupported_format"),
        ("LICENSE", b"Permission is granted", "unsupported_format"),
        ("picture.png", b"\x89PNG", "unsupported_format"),
        ("damaged.pdf", b"%PDF-1.7 nothing", "undecodable"),
        ("damaged.docx", b"PK nothing", "undecodable"),
    ],
)
def test_what_is_no_document_has_a_reason(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    assert refusal(tmp_path, name, content) == reason


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as huge:
        huge.truncate(100_000_000)
    item = found(tmp_path)["huge.md"]
    assert isinstance(item, Dropped)
    assert item.reason == "too_large"
    assert "100,000,000" in item.detail


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_has_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("text")
    path.chmod(0)
    item = found(tmp_path)["a.md"]
    assert isinstance(item, Dropped)
    assert item.reason == "unreadable"


def test_copies_in_two_files_are_two_documents(tmp_path: Path) -> None:
    one = document(tmp_path, "a.md", "The same text.")
    other = document(tmp_path, "b.md", "The same text.")
    assert one.doc_id != other.doc_id
    assert one.sha256 == other.sha256


# -- encodings ----------------------------------------------------------------------------------

GERMAN = "Die Größe des Puffers beträgt höchstens zehntausend Ereignisse für jeden Arbeitsbereich. "
JAPANESE = "リレーバッファは最大一万件のイベントを保持します。監査ログは九十日間保存されます。"
RUSSIAN = "Буфер хранит не более десяти тысяч событий для каждого рабочего пространства. "


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN * 3, "latin-1"),
        (GERMAN * 3, "utf-16"),
        (GERMAN * 3, "utf-8-sig"),
        (JAPANESE * 3, "shift_jis"),
        (JAPANESE * 3, "euc_jp"),
        (RUSSIAN * 3, "cp1251"),
        (RUSSIAN * 3, "koi8-r"),
    ],
)
def test_encodings_are_detected(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding), "notes.txt")
    assert decoded is not None
    assert decoded.text == text


def test_the_file_name_may_say_it() -> None:
    short = "Größe"
    decoded = decode(short.encode("cp1250"), "notes.de.cp1250")
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (short, "cp1250")


def test_a_damaged_byte_is_counted_not_hidden() -> None:
    content = ("plain words " * 200).encode() + b"\xff" + b" and more"
    decoded = decode(content, "a.txt")
    assert decoded is not None
    assert decoded.encoding == "utf-8, 1 characters damaged" or "�" not in decoded.text


def test_languages() -> None:
    assert detect_language(GERMAN) == "de"
    assert detect_language(JAPANESE) == "ja"
    assert detect_language("short") == "en"


TUTORS = {
    "tutor.ja.sjis": "ja",
    "tutor.ja.euc": "ja",
    "tutor.ru": "ru",
    "tutor.ru.cp1251": "ru",
} | {
    "tutor.cs": "cs",
    "tutor.cs.cp1250": "cs",
    "tutor.el": "el",
    "tutor.el.cp737": "el",
    "tutor.ko.euc": "ko",
    "tutor.pl": "pl",
    "tutor.zh.euc": "zh_cn",
    "tutor.zh.big5": "zh_tw",
}


@pytest.mark.parametrize(("name", "twin"), TUTORS.items())
def test_real_files_in_old_encodings_read_like_their_utf8_twins(
    shared_data: Path, name: str, twin: str
) -> None:
    (folder,) = (shared_data / "corpora" / "nasty_fastapi_i18n_vim").glob("*tutor*")
    decoded = decode((folder / name).read_bytes(), name)
    assert decoded is not None
    ours, theirs = grams(decoded.text), grams((folder / f"tutor.{twin}.utf-8").read_text("utf-8"))
    # The twins are not copies to the letter: tutor.zh.big5 has 45 damaged characters of its own.
    assert len(ours & theirs) / len(ours | theirs) > 0.96


def grams(text: str, width: int = 5) -> set[str]:
    squeezed = " ".join(text.split())
    return {squeezed[i : i + width] for i in range(len(squeezed) - width + 1)}
