"""Tokens, and the commands that use them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """A token in the list of those who manage them; of its text only the beginning."""

    name: str
    prefix: str
    may: str
    where: str
    made: str
    used: str
    ends: str
    state: str  # fresh waiting failed
    is_alive: bool
    ends_soon: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenChoice:
    """One box of the form that makes a token."""

    value: str
    name: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token that was just made. Its clear text exists on this one page."""

    name: str
    clear_text: str
    may_send: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenForm:
    """The form that makes a token, as it is filled in."""

    scopes: tuple[TokenChoice, ...]
    clusters: tuple[TokenChoice, ...]
    days: tuple[TokenChoice, ...]
    name: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A line to copy, and when it is the right one."""

    name: str
    text: str
    when: str
