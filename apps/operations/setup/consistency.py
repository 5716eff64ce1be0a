"""What organizations of one description may not both say, and what fits to no part of theirs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from apps.fleet.hosts.host_names import short
from apps.fleet.models import ParticipationRole
from apps.operations.setup.parties import OrganizationDescription, SetupError


def doubles(
    *, parties: Sequence[OrganizationDescription], lines: Mapping[str, int]
) -> list[SetupError]:
    """Return the faults that no organization has on its own."""
    found = [
        *_twice(parties, "slug", lambda party: [party.slug.lower()]),
        *_twice(parties, "projects", lambda party: party.projects),
    ]
    for party in parties:
        found += [*_without_part(party), *_alone(party)]
    return [
        SetupError(place=place, text=text, line=lines.get(party)) for party, place, text in found
    ]


def _twice(
    parties: Sequence[OrganizationDescription],
    name: str,
    values: Callable[[OrganizationDescription], Iterable[str]],
) -> Iterator[tuple[str, str, str]]:
    owners: dict[str, OrganizationDescription] = {}
    for party in parties:
        for value in filter(None, values(party)):
            first = owners.setdefault(value, party)
            if first is not party:
                text = f"'{value}' stands at {first.place} already"
                yield party.place, f"{party.place}.{name}", text


def _without_part(party: OrganizationDescription) -> Iterator[tuple[str, str, str]]:
    given = [name for name in ("layers", "sources") if getattr(party, name) and not party.parts]
    for name in given:
        text = f"{name} belong to an organization that has a part"
        yield party.place, f"{party.place}.{name}", text


def _alone(party: OrganizationDescription) -> Iterator[tuple[str, str, str]]:
    place = party.place
    if party.projects and ParticipationRole.TENANT not in party.parts:
        yield place, f"{place}.projects", "projects belong to an organization that is tenant"
    if party.hosts and ParticipationRole.OPERATOR not in party.parts:
        yield place, f"{place}.hosts", "hosts are named by an organization that is operator"
    for name, values in (
        ("members", [each.username for each in party.people]),
        ("tokens", [each.name for each in party.tokens]),
        ("sources", [each.name for each in party.sources]),
        ("hosts", [short(name=each.lower()) for each in party.hosts]),
    ):
        for value in sorted({each for each in values if each and values.count(each) > 1}):
            yield place, f"{place}.{name}", f"'{value}' stands here twice"
    owners: dict[str, str] = {}
    for host, aliases in party.hosts.items():
        for alias in aliases:
            first = owners.setdefault(alias.lower(), host)
            if first != host:
                text = f"'{alias}' is another name of {first} already; it would join nothing"
                yield place, f"{place}.hosts.{host}", text
