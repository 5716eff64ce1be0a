"""Structured facts and labels → the same without what is hidden, by what each field holds."""

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.model import Statement, Value, statement_json, statement_of
from apps.diagnosis.model.statements import KIND, VALUES
from apps.secret_shapes import HIDDEN, WORDS
from apps.sharing.redaction.draft import Draft
from apps.sharing.redaction.field_values import OF_NUMBERS, SPECIAL, named
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile
from apps.sharing.redaction.pseudonyms import Pseudonyms, in_no_order
from apps.sharing.redaction.steps.secrets import hide_emails, hide_secrets
from apps.sharing.redaction.text import parted, redact_text
from apps.sharing.redaction.vocabulary import load_vocabulary

FILE: Final = Path(__file__).with_name("fields.toml")
KEPT: Final = "kept"
SECRET_NAME: Final = re.compile(rf"(?i){WORDS}|cookie|^(?:proxy-)?authorization$|^(?:\w+_)?token$")
NAMES_KEPT: Final = 256  # of fields, for which it is known already what they hold
TEXTS_KEPT, LONGEST_KEPT = 4096, 512  # of one redactor, which lives on
SHORTEST_SECRET: Final = 12  # that its shape gives away
# Of a measurement: what was measured, and the fields that hold how much of it.
SIGNAL, MEASURED = "signal", frozenset({"value", "baseline"})


def redact_fact(
    fact: Mapping[str, Any], /, *, pseudonyms: Pseudonyms, known: KnownNames, profile: Profile
) -> dict[str, Any]:
    """Return a fact, as JSON holds it, as the profile lets others read it: the same keys.

    Numbers stay but for losses, and so do ranks, codes and places of devices in their hosts.
    """
    return FactRedactor(pseudonyms=pseudonyms, known=known, profile=profile).fact(fact)


def redact_statement(
    told: Statement, /, *, pseudonyms: Pseudonyms, known: KnownNames, profile: Profile
) -> Statement:
    """Return a statement of the same kind, whose values hide what the profile hides."""
    return FactRedactor(pseudonyms=pseudonyms, known=known, profile=profile).statement(told)


def redact_labels(
    labels: Mapping[str, str], /, *, pseudonyms: Pseudonyms, known: KnownNames, profile: Profile
) -> dict[str, str]:
    """Return the labels of a series, by the same names; what stands in a log is called the same."""
    redactor = FactRedactor(pseudonyms=pseudonyms, known=known, profile=profile)
    return {name: redactor.text(name, value) for name, value in labels.items()}


class FactRedactor:
    """Redacts many facts alike: what a field holds is read once, however often it is told."""

    def __init__(
        self,
        *,
        pseudonyms: Pseudonyms,
        known: KnownNames,
        profile: Profile,
        opened: Callable[[str], str] = str,
    ) -> None:
        """`opened` returns a redacted text with what its reader may know after all."""
        self._pseudonyms, self._profile = pseudonyms, profile
        self._known = known.with_words(profile.words)
        self._opened = opened
        self._texts: dict[tuple[str, str], str] = {}

    def fact(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Return a fact as JSON holds it."""
        signal = told.get(SIGNAL)
        is_loss = isinstance(signal, str) and _is_loss(signal)
        return {
            name: self._number(value) if is_loss and name in MEASURED else self.value(name, value)
            for name, value in told.items()
        }

    def statement(self, told: Statement) -> Statement:
        """Return a statement of the same kind."""
        return Statement(
            told.kind, tuple((name, self._of_statement(name, value)) for name, value in told.values)
        )

    def stored_statement(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Return a statement, both as JSON holds them. Raises TypeError for what is no value."""
        values = told[VALUES]
        return {
            KIND: told[KIND],
            VALUES: {name: self._of_stored(name, values[name]) for name in sorted(values)},
        }

    def _of_stored(self, name: str, value: Any) -> Any:
        # Most are texts and numbers, which JSON holds as they are: a long story has thousands.
        if isinstance(value, str):
            return self.text(name, value)
        if isinstance(value, int | float):
            return self._number(value) if _is_loss(name) else value
        alone = statement_of({KIND: "", VALUES: {name: value}})
        return statement_json(self.statement(alone))[VALUES][name]

    def _of_statement(self, name: str, value: Value) -> Value:
        match value:
            case Statement():
                return self.statement(value)
            case tuple():
                return tuple(in_no_order(value, [self._of_statement(name, each) for each in value]))
            case str():
                return self.text(name, value)
            case int() | float() if _is_loss(name) and _is_measure(value):
                return CUT_MARK if self._profile.hides(Kind.LOSS) else value
            case _:
                return value

    def value(self, name: str, value: Any) -> Any:
        """Return a value as JSON has them."""
        # What most fields hold comes first: a long story has thousands of them.
        if isinstance(value, str):
            return self.text(name, value)
        if value is None or isinstance(value, int | float):
            return self._number(value) if _is_loss(name) else value
        if isinstance(value, list | tuple):
            return in_no_order(value, [self.value(name, each) for each in value])
        return self.fact(value) if isinstance(value, Mapping) else value

    def text(self, name: str, value: str) -> str:
        """Return the text of a field of that name."""
        if not value:
            return value
        key = name, value
        told = self._texts.get(key)
        if told is None:
            told = self._opened(self._redacted(name, value))
            self._remember(key, told)
        return told

    def _remember(self, key: tuple[str, str], told: str) -> None:
        if len(self._texts) >= TEXTS_KEPT:
            self._texts = {}
        if len(key[1]) <= LONGEST_KEPT:
            self._texts[key] = told

    def _redacted(self, name: str, value: str) -> str:
        holds = _kinds().get(name.casefold())
        if _is_secret(name):
            return HIDDEN
        if holds is not None:
            value = self._without_secrets(value)
        if holds == KEPT:
            word, bracket, detail = value.partition("[")  # what a series has of several kinds
            return word + bracket + (self._free(detail) if bracket else "")
        is_told = holds is not None and HIDDEN not in value and "://" not in value
        if not is_told or value.lower() in load_vocabulary().nothing:
            return self._free(value)
        return self._of_kind(str(holds), value)

    def _of_kind(self, holds: str, value: str) -> str:
        hiding = self._hiding()
        if holds in SPECIAL:
            return SPECIAL[holds](hiding, value)
        if holds in OF_NUMBERS or any(map(str.isalpha, value)):
            return self._free(named(hiding, Kind(holds), value))
        return value

    def _free(self, value: str) -> str:
        told = redact_text(
            value, pseudonyms=self._pseudonyms, known=self._known, profile=self._profile
        )
        return told.text

    def _without_secrets(self, value: str) -> str:
        """Return a text whose field is not read as one without what lets somebody in."""
        if len(value) < SHORTEST_SECRET and "@" not in value:
            return value
        hiding = self._hiding()
        hiding.draft.data = parted(value).encode("utf-8", "replace")
        hide_secrets(hiding)
        hide_emails(hiding)
        return hiding.draft.finished().text

    def _number(self, value: Any) -> Any:
        return CUT_MARK if self._profile.hides(Kind.LOSS) and _is_measure(value) else value

    def _hiding(self) -> Hiding:
        return Hiding(
            draft=Draft(b""),
            pseudonyms=self._pseudonyms,
            known=self._known,
            profile=self._profile,
            vocabulary=load_vocabulary(),
        )


def _is_measure(value: Any) -> bool:
    """Say whether a value is a number that was measured; one that is infinite says what broke."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


@cache
def _kinds() -> Mapping[str, str]:
    told: dict[str, list[str]] = tomllib.loads(FILE.read_text("utf-8"))
    return {name: holds for holds, names in told.items() for name in names}


@lru_cache(maxsize=NAMES_KEPT)
def _is_secret(name: str) -> bool:
    return SECRET_NAME.search(name) is not None


@lru_cache(maxsize=NAMES_KEPT)
def _is_loss(name: str) -> bool:
    low = name.casefold()
    return _kinds().get(low) == Kind.LOSS or low.replace("-", "_").rpartition(".")[2].endswith(
        LOSSES
    )


LOSSES: Final = ("loss", "grad_norm", "perplexity", "accuracy", "reward")
