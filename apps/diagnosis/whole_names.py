"""Whether a line says a name: as a whole word, not as a part of a longer one."""


def says(*, text: str, name: str) -> bool:
    """Say whether a text has a name as a whole word."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = text.find(name, at + 1)
    return False
