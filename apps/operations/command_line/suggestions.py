"""Options and choices that nobody knows: the refusal names the one that was probably meant."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any, NoReturn

from apps.diagnosis.spelling import meant, nearest
from apps.operations.command_line.help_texts import epilog
from apps.operations.command_line.options import SYNONYMS

CHOICE, KNOWN = "invalid choice: ", " (choose from "
UNKNOWN = "unrecognized arguments: "
DASHES = "--"


class QuickParser(ArgumentParser):
    """A parser of options that says what was meant, without Django."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def format_help(self) -> str:
        """Return the help with examples and exit codes below it."""
        self.epilog = guide(prog=self.prog)
        self.formatter_class = RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Refuse, with the nearest option or choice."""
        super().error(message + hint(parser=self, message=message))


def guide(*, prog: str) -> str:
    """Return what stands below the options of `faultline diagnose`."""
    program, _, command = prog.rpartition(" ")
    return epilog(program=program, command=command)


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
    hints = (_option_meant(word.partition("=")[0], known) for word in given if word[0] == "-")
    return next((each for each in hints if each), "")


def _option_meant(word: str, known: Sequence[str]) -> str:
    """Compare names alone: that both begin with dashes makes no two options alike."""
    names = [each.removeprefix(DASHES) for each in known if each.startswith(DASHES)]
    synonyms = {
        other: next(name for name in meanings if name in names)
        for other, meanings in SYNONYMS.items()
        if any(name in names for name in meanings)
    }
    name = word.lstrip("-")
    begun = [each for each in names if name and each.startswith(name)]
    likest = synonyms.get(name.lower()) or nearest(word=name, known=names)
    found = dict.fromkeys([*filter(None, [likest]), *(begun if len(begun) == 1 else ())])
    listed = " or ".join(f"`{DASHES}{each}`" for each in found)
    return f"; did you mean {listed}?" if found else ""


def _words(listed: str) -> list[str]:
    """Return the choices as they are given; Python quotes them until 3.11."""
    return [each.strip(" '") for each in listed.split(",")]
