"""Every command of Django names the option that was meant."""

from argparse import SUPPRESS, RawDescriptionHelpFormatter
from typing import Any, NoReturn

from django.core.management import base
from django.core.management.base import CommandParser, DjangoHelpFormatter

from apps.operations.command_line.suggestions import guide, hint

DJANGOS = DjangoHelpFormatter.show_last - {"--no-color"}


class Formatter(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options; descriptions and examples as they are written."""


class SpellingParser(CommandParser):
    """Django's parser of options, with what was meant, examples and exit codes."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**(settings | {"allow_abbrev": False}))

    def format_help(self) -> str:
        """Return the help; of our own commands without Django's options, which stay."""
        self.epilog = guide(prog=self.prog)
        if self.epilog:
            self.formatter_class = Formatter
            for action in self._actions:
                if DJANGOS & {*action.option_strings}:
                    action.help = SUPPRESS
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Refuse, with the nearest option or choice."""
        super().error(message + hint(parser=self, message=message))
        raise AssertionError  # Django's has ended the program, or raised


def use_everywhere() -> None:
    """Let every command of Django parse so; it has no other way in."""
    base.CommandParser = SpellingParser  # type: ignore[misc]  # the name that commands look up
