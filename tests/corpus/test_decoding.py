from __future__ import annotations

import random
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.decoding import decode

if TYPE_CHECKING:
    from pathlib import Path


def read(content: bytes, name: str = "a.txt") -> tuple[str, str] | None:
    decoded = decode(content, name)
    return None if decoded is None else (decoded.text, decoded.encoding)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf8_is_read_as_it_is(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert read(text.encode()) == (text, "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_no_text(encoding: str) -> None:
    decoded = decode("Größe".encode(encoding), "a.txt")
    assert decoded is not None
    assert decoded.text == "Größe"


def test_a_damaged_byte_does_not_make_utf8_another_encoding() -> None:
    text = "日本語の文章です。" * 5
    assert read(text.encode() + b"\xff!") == (text + "\ufffd!", "utf-8")


def test_a_page_says_its_encoding_and_means_the_larger_code_page() -> None:
    page = b"<html><head><meta charset=iso-8859-1></head><p>\x93caf\xe9\x94</p>"
    decoded = decode(page, "a.html")
    assert decoded is not None
    assert "“café”" in decoded.text
    assert decoded.encoding == "cp1252"


@pytest.mark.parametrize("name", ["a.hex", "a.zip", "a.rot13", "a.base64", "a.undefined", "a.idna"])
def test_a_suffix_that_names_no_text_encoding_decides_nothing(name: str) -> None:
    assert read("Größe".encode(), name) == ("Größe", "utf-8")
    assert decode("Die Größe des Puffers.".encode("latin-1"), name) is not None


def test_noise_is_no_text() -> None:
    noise = random.Random(5)
    for size in (100, 1000, 10_000):
        assert decode(noise.randbytes(size), "a.txt") is None
    assert decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "a.txt") is None


ENCODINGS = {
    "": "utf-8",
    "bar": "iso8859-1",
    "ca": "iso8859-1",
    "cs": "iso8859-2",
    "cs.cp1250": "cp1250",
    "da": "iso8859-1",
    "de": "iso8859-1",
    "el": "iso8859-7",
    "el.cp737": "cp737",
    "eo": "iso8859-3",
    "es": "iso8859-1",
    "fr": "iso8859-1",
    "hr": "iso8859-2",
    "hr.cp1250": "cp1250",
    "hu": "iso8859-2",
    "hu.cp1250": "cp1250",
    "it": "iso8859-1",
    "ja.euc": "euc_jp",
    "ja.sjis": "shift_jis",
    "ko": "utf-8",
    "ko.euc": "euc_kr",
    "nb": "iso8859-1",
    "nl": "iso8859-1",
    "no": "iso8859-1",
    "pl": "iso8859-2",
    "pl.cp1250": "cp1250",
    "pt": "iso8859-1",
    "ru": "koi8-r",
    "ru.cp1251": "cp1251",
    "sk": "iso8859-2",
    "sk.cp1250": "cp1250",
    "sr.cp1250": "cp1250",
    "sv": "iso8859-1",
    "tr.iso9": "iso8859-9",
    "zh.euc": "gb18030",
}
"""Vim's tutors: the end of the file name, and the encoding that its readme gives."""


@pytest.mark.parametrize(("end", "encoding"), ENCODINGS.items())
def test_every_real_file_in_an_old_encoding_is_read_to_the_letter(
    shared_data: Path, end: str, encoding: str
) -> None:
    folder = shared_data / "corpora" / "nasty_fastapi_i18n_vim" / "vim_tutor"
    name = f"tutor.{end}".rstrip(".")
    content = (folder / name).read_bytes()
    decoded = decode(content, name)
    assert decoded is not None
    assert decoded.text == content.decode(encoding)


@pytest.mark.parametrize(
    ("name", "twin"), [("zh.big5", "zh_tw"), ("zh.euc", "zh_cn"), ("el", "el")]
)
def test_real_files_read_line_by_line_as_their_twins(
    shared_data: Path, name: str, twin: str
) -> None:
    """tutor.zh.big5 has 41 damaged characters of its own, in 4 of its 100 lines."""
    folder = shared_data / "corpora" / "nasty_fastapi_i18n_vim" / "vim_tutor"
    decoded = decode((folder / f"tutor.{name}").read_bytes(), f"tutor.{name}")
    assert decoded is not None
    ours = decoded.text.splitlines()
    theirs = (folder / f"tutor.{twin}.utf-8").read_text("utf-8").splitlines()
    assert SequenceMatcher(None, ours, theirs, autojunk=False).ratio() > 0.95
