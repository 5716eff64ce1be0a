"""Pseudonyms → what they stand for, for the owner: out of what it knows, and the key."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.pseudonyms import NAME, UUID, Pseudonyms

ADDRESS: Final = re.compile(
    r"(?<![\w.:])(?:\d{3}(?:\.\d{3}){3}|1[0-9a-f]{4}(?::1[0-9a-f]{4}){7})(?!\w|:\w)", re.ASCII
)


class ReverseMap:
    """Leads back. Nothing is stored: each value that the owner knows is named once more."""

    def __init__(
        self,
        *,
        pseudonyms: Pseudonyms,
        known: KnownNames,
        uuids: Iterable[str] = (),
        paths: Iterable[str] = (),
        others: Iterable[tuple[Kind, str]] = (),
    ) -> None:
        self._pseudonyms = pseudonyms
        self._values: dict[str, str] = {}
        for kind, names in known.of_kinds.items():
            self._add(
                (kind, known.host(name) if kind is Kind.HOST else name) for name in sorted(names)
            )
        self._add(others)
        for path in paths:
            self._add_path(path)
        self._values |= {pseudonyms.uuid(uuid): uuid for uuid in uuids}

    @property
    def values(self) -> Mapping[str, str]:
        """Return every pseudonym that is known, and what it stands for."""
        return self._values

    def value_of(self, name: str, /) -> str | None:
        """Return what a pseudonym stands for; of an address always, of others where it is known."""
        return self._values.get(name) or self._pseudonyms.address_of(name)

    def restored(self, text: str, /) -> str:
        """Return a text with what is known in the place of its pseudonyms."""
        for pattern in (NAME, UUID, ADDRESS):
            text = pattern.sub(lambda found: self.value_of(found[0]) or found[0], text)
        return text

    def _add(self, values: Iterable[tuple[Kind, str]]) -> None:
        for kind, value in values:
            self._values.setdefault(self._pseudonyms.name(kind, value), value)

    def _add_path(self, path: str) -> None:
        folders = [part for part in path.split("/") if part]
        self._add((Kind.PATH, part) for part in folders)
        for file in folders[-1:]:
            made = self._pseudonyms.file_name(file)
            self._values.setdefault(made.partition(".")[0], file.rpartition(".")[0] or file)
