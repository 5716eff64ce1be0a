"""Options and choices that nobody knows: the refusal names the one that was probably meant."""

from argparse import ArgumentParser
from typing import NoReturn

from apps.diagnosis.spelling import meant

CHOICE, KNOWN = "invalid choice: ", " (choose from "
UNKNOWN = "unrecognized arguments: "


class QuickParser(ArgumentParser):
    """A parser of options that says what was meant, without Django."""

    def error(self, message: str) -> NoReturn:
        """Refuse, with the nearest option or choice."""
        super().error(message + hint(parser=self, message=message))


def hint(*, parser: ArgumentParser, message: str) -> str:
    """Return `; did you mean …?` for what argparse refuses, empty where nothing is like it."""
    _, choice, rest = message.partition(CHOICE)
    if choice:
        word, _, listed = rest.rpartition(KNOWN)
        return meant(word=word.strip("'"), known=_words(listed.removesuffix(")")))
    if not message.startswith(UNKNOWN):
        return ""
    known = [option for action in parser._actions for option in action.option_strings]  # noqa: SLF001  it has no other list
    given = message.removeprefix(UNKNOWN).split()
    hints = (meant(word=word.partition("=")[0], known=known) for word in given if word[0] == "-")
    return next((each for each in hints if each), "")


def _words(listed: str) -> list[str]:
    """Return the choices as they are given; Python quotes them until 3.11."""
    return [each.strip(" '") for each in listed.split(",")]
