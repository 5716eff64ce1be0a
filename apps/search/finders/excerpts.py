"""A part of a long text around what was found in it. Pure."""

BESIDE = 80  # letters on each side


def around(*, text: str, needle: str) -> str:
    """Return the first place of a text on one line, with dots where it was cut."""
    line = " ".join(text.split())
    at = line.casefold().find(" ".join(needle.split()).casefold())
    start = max(0, at - BESIDE)
    end = max(at, 0) + len(needle) + BESIDE
    return ("… " if start else "") + line[start:end] + (" …" if end < len(line) else "")
