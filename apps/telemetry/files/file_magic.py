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

# What no text has, in UTF-8 or any older encoding; terminals' colors and bells are text.
CONTROLS = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b"))
PLAIN = bytes(range(32, 127)) + b"\t\r"
MOST_CONTROLS = 0.04  # of all bytes; random ones have nine in a hundred
FEW_CONTROLS = 2  # in however short a text
LINE_BYTES = 6


def kind_of(*, head: bytes) -> str | None:
    """Return what a file that begins so is, with what to do about it; None for a text."""
    return next((said for magic, said in KINDS.items() if head.startswith(magic)), None)


def is_noise(*, head: bytes) -> bool:
    """Say whether bytes are no text of any encoding: many control characters, no line without.

    One line of garbage among others is none: it loses no other. Nor are the zeros before what was
    written to a log that had been cut to nothing meanwhile.
    """
    written = head.replace(b"\0\0", b"")
    controls = len(written) - len(written.translate(None, CONTROLS))
    if controls <= max(FEW_CONTROLS, MOST_CONTROLS * len(head)):
        return False
    return not any(
        len(line) >= LINE_BYTES and not line.translate(None, PLAIN) for line in head.split(b"\n")
    )
