from __future__ import annotations

import io
import sys
import zipfile

import pytest

from goldsmith.corpus.office import (
    DamagedFileError,
    InflatedFileError,
    MissingLibraryError,
    read_docx,
    read_pdf,
)

_OPEN = "http://schemas.openxmlformats.org"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_RELS = "application/vnd.openxmlformats-package.relationships+xml"
_TYPES = (
    f'<Types xmlns="{_OPEN}/package/2006/content-types">'
    f'<Default Extension="rels" ContentType="{_RELS}"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_WORD}"/></Types>'
)
_RELATIONS = (
    f'<Relationships xmlns="{_OPEN}/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_OPEN}/officeDocument/2006/relationships/officeDocument"'
    ' Target="word/document.xml"/></Relationships>'
)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("[Content_Types].xml", _TYPES)
        parts.writestr("_rels/.rels", _RELATIONS)
        parts.writestr(
            "word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>"
        )
    return packed.getvalue()


def paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(text: str) -> bytes:
    """One page that says `text` in Helvetica, written out by hand."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (6, len(out))
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


def test_a_word_document_is_read_by_way_of_html() -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    table = f"<w:tbl>{row.format(paragraph('Plan'), paragraph('Days'))}"
    table += f"{row.format(paragraph('Team'), paragraph('90'))}</w:tbl>"
    page = read_docx(
        docx(paragraph("Limits", "Heading1") + paragraph("Größe: ten.") + table), 10_000
    )
    assert page.markdown.startswith("# Limits\n\nGröße: ten.")
    assert "| Team | 90 |" in page.markdown


def test_a_small_file_that_unpacks_to_a_large_one_is_refused() -> None:
    packed = docx(paragraph("x" * 1_000_000))
    assert len(packed) < 10_000
    with pytest.raises(InflatedFileError, match="1,000,"):
        read_docx(packed, 100_000)


@pytest.mark.parametrize("content", [b"", b"PK nothing", docx("")[:200]])
def test_a_damaged_word_document_says_so(content: bytes) -> None:
    with pytest.raises(DamagedFileError, match="Word"):
        read_docx(content, 10_000)


def test_the_text_of_a_pdf() -> None:
    assert read_pdf(pdf("The buffer holds 500 events.")).strip() == "The buffer holds 500 events."


def test_a_pdf_of_pictures_has_no_text() -> None:
    assert read_pdf(pdf("")).strip() == ""


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7 nothing", b"\x00" * 100])
def test_a_damaged_pdf_says_so(content: bytes) -> None:
    with pytest.raises(DamagedFileError, match="PDF"):
        read_pdf(content)


def test_without_the_extra_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "mammoth", None)
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(MissingLibraryError, match=r"goldsmith\[docs\]"):
        read_pdf(pdf("x"))
    with pytest.raises(MissingLibraryError, match=r"goldsmith\[docs\]"):
        read_docx(docx(paragraph("x")), 10_000)
