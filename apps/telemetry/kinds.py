"""What begins as no text does: the first bytes of files that lie beside logs."""

KINDS = {
    b"\x7fELF": "a program or the memory of one (ELF)",
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a zip archive: unpack it",
    b"BZh": "compressed by bzip2: unpack it",
    b"\xfd7zXZ\x00": "compressed by xz: unpack it",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: unpack it",
    b"LPKSHHRH": "a journal's own file: send what journalctl prints of it",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3\x00": "a database",
}


def kind_of(*, head: bytes) -> str | None:
    """Return what a file that begins so is, with what to do about it; None for a text."""
    return next((said for magic, said in KINDS.items() if head.startswith(magic)), None)
