"""What a generated session claims about itself. No behaviour beyond comparing spellings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A layer with the causes of it that an expert may name; no causes: any of the layer."""

    layer: str
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The sealed answer of one session."""

    seed: int
    scenario: str
    telling: str
    status: str
    answers: tuple[Answer, ...]
    hosts: frozenset[str]  # every spelling of every acceptable host, lower case
    kind: str
    end: str
    decoys: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()

    @property
    def layers(self) -> frozenset[str]:
        """Return the layers that are right."""
        return frozenset(one.layer for one in self.answers)

    @property
    def causes(self) -> frozenset[str]:
        """Return the causes that are right; empty where any of the layer is."""
        return frozenset(cause for one in self.answers for cause in one.causes)

    def is_accepted_host(self, said: str) -> bool:
        """Say whether a host, however it is written, is one of those to blame."""
        name = said.lower()
        return name in self.hosts or name.split(".")[0] in self.hosts
