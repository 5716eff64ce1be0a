"""Who puts facts into words: a language, and the registry of what can be said."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from apps.diagnosis.model import Statement, Value
from apps.wording.names import sentence_case

PLACEHOLDER = re.compile(r"%\((\w+)\)s")
# Words that were kept, and whoever a fact begins with, stay as they are written.
KEPT_WORDS, BEGINS_WITH_NAME = "text", "who"
Values: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """One language. `translate` returns an English text in it."""

    translate: Callable[[str], str]
    kinds: Mapping[str, "Wording"]
    language: str = "en"  # of documents that are made with it

    def said(self, told: Statement) -> str:
        """Return a fact in words; one of a kind that only a newer version knows by its name."""
        wording = self.kinds.get(told.kind)
        if wording is None:
            return told.kind.replace("-", " ")
        return wording.said(told.named, self)

    def headline(self, told: Statement) -> str:
        """Return a fact that stands by itself."""
        is_as_written = told.kind == KEPT_WORDS or BEGINS_WITH_NAME in told.named
        return self.said(told) if is_as_written else sentence_case(self.said(told))

    def value(self, value: Value) -> str:
        """Return a value that needs no form of its own."""
        return self.said(value) if isinstance(value, Statement) else str(value)


Form: TypeAlias = Callable[[Value, Speaker], str]
Sentence: TypeAlias = Callable[[Values, Speaker], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How one kind of fact is said: `text` with its values in it, or what `sentence` makes."""

    text: str = ""
    many: str = ""  # the text where the value `counted` is not 1
    counted: str = ""
    forms: Mapping[str, Form] = field(default_factory=dict)
    sentence: Sentence | None = None
    takes: frozenset[str] = frozenset()  # values that have to be there
    may_take: frozenset[str] = frozenset()

    def said(self, values: Values, speaker: Speaker) -> str:
        """Return the fact in the speaker's language."""
        if self.sentence is not None:
            return self.sentence(values, speaker)
        is_one = not self.counted or values.get(self.counted) == 1
        shown = {
            name: self.forms.get(name, _plain)(value, speaker) for name, value in values.items()
        }
        blank = dict.fromkeys(self.takes, "")
        return speaker.translate(self.text if is_one else self.many) % {**blank, **shown}


def _plain(value: Value, speaker: Speaker) -> str:
    return speaker.value(value)


def text(words: str, many: str = "", /, *, counted: str = "", **forms: Form) -> Wording:
    """Return a wording by its text: it takes the values that stand in it."""
    named = {*PLACEHOLDER.findall(words), *PLACEHOLDER.findall(many)} | ({counted} - {""})
    return Wording(text=words, many=many, counted=counted, forms=forms, takes=frozenset(named))


def made(sentence: Sentence, /, *takes: str, may_take: tuple[str, ...] = ()) -> Wording:
    """Return a wording that a function makes of the values it takes."""
    return Wording(sentence=sentence, takes=frozenset(takes), may_take=frozenset(may_take))
