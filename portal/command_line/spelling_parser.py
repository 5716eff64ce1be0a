"""Every command of Django names the option that was meant."""

from typing import NoReturn

from django.core.management import base
from django.core.management.base import CommandParser

from portal.command_line.meant import hint


class SpellingParser(CommandParser):
    """Django's parser of options, with what was meant."""

    def error(self, message: str) -> NoReturn:
        """Refuse, with the nearest option or choice."""
        super().error(message + hint(parser=self, message=message))
        raise AssertionError  # Django's has ended the program, or raised


def use_everywhere() -> None:
    """Let every command of Django parse so; it has no other way in."""
    base.CommandParser = SpellingParser  # type: ignore[misc]  # the name that commands look up
