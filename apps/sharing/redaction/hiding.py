"""One text, what its owner calls its own, and what is done about each kind of value in it."""

from dataclasses import dataclass

from apps.secret_shapes import HIDDEN
from apps.sharing.redaction.draft import MARK_BYTES, Draft
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile
from apps.sharing.redaction.pseudonyms import Pseudonyms
from apps.sharing.redaction.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiding:
    """What a step needs."""

    draft: Draft
    pseudonyms: Pseudonyms
    known: KnownNames
    profile: Profile
    vocabulary: Vocabulary

    def stand_in(self, kind: Kind, value: str, *, known: bool = True) -> str | None:
        """Return what stands in the place of a value; None where the profile keeps its kind.

        A name that the owner knows as something else is what the owner knows it as.
        """
        if known and kind is not Kind.HOST:
            kind, value = self.known.kinds.get(value.casefold(), (kind, value))
        if kind is Kind.HOST:
            value = self.known.host(value)
        if not self.profile.hides(kind):
            return None
        if kind is Kind.SECRET:
            return HIDDEN
        return CUT_MARK if self.profile.cuts(kind) else self.pseudonyms.name(kind, value)

    def mark(self, kind: Kind, value: bytes) -> bytes | None:
        """Return the mark of a value, which may hold marks itself; None where it stays."""
        if MARK_BYTES.fullmatch(value):
            return None
        text = self.stand_in(kind, self.draft.shown(value))
        return None if text is None else self.draft.hidden(kind, text)

    def made(self, kind: Kind, value: bytes, pseudonym: str) -> bytes | None:
        """Return the mark of a value whose pseudonym keeps its form."""
        if not self.profile.hides(kind) or pseudonym == self.draft.shown(value):
            return None
        return self.draft.hidden(kind, CUT_MARK if self.profile.cuts(kind) else pseudonym)

    def secret(self) -> bytes:
        """Return the mark of a secret."""
        return self.draft.hidden(Kind.SECRET, HIDDEN)
