"""What organizations of one description may not both say, and what fits to no part of theirs."""

from typing import Any

import pytest

from apps.operations.setup.consistency import doubles
from apps.operations.setup.parties import OrganizationDescription


def party(slug: str = "aurora", *, at: int = 0, **more: Any) -> OrganizationDescription:
    """Return an organization as it is described."""
    said: dict[str, Any] = {"slug": slug, "name": slug, "parts": ("tenant", "operator")}
    return OrganizationDescription(place=f"organizations[{at}]", **(said | more))


def faults(*parties: OrganizationDescription) -> list[str]:
    """Return what is wrong with them together."""
    return [str(each) for each in doubles(parties=parties, lines={})]


def test_organizations_that_share_nothing_fit_together() -> None:
    assert faults(party(projects=("solar",)), party("lumen", at=1, projects=("mars",))) == []


def test_a_slug_or_a_project_is_one_organizations() -> None:
    assert faults(party(projects=("solar",)), party("AURORA", at=1, projects=("solar",))) == [
        "organizations[1].slug: 'aurora' stands at organizations[0] already",
        "organizations[1].projects: 'solar' stands at organizations[0] already",
    ]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"parts": (), "layers": ("gpu",)}, "layers belong to an organization that has a part"),
        ({"parts": ("operator",), "projects": ("solar",)}, "that is tenant"),
        ({"parts": ("tenant",), "hosts": {"gpu017": ()}}, "that is operator"),
    ],
)
def test_what_belongs_to_a_part_needs_it(more: dict[str, Any], fault: str) -> None:
    (told,) = faults(party(**more))
    assert fault in told


def test_a_host_is_named_once_and_a_second_name_is_one_hosts() -> None:
    twice = party(hosts={"gpu017": (), "GPU017.dc.example": ()})
    assert faults(twice) == ["organizations[0].hosts: 'gpu017' stands here twice"]
    shared = party(hosts={"gpu017": ("10.0.0.1", "A"), "gpu018": ("a",), "gpu019": ("b", "b")})
    (told,) = faults(shared)
    assert told.startswith("organizations[0].hosts.gpu018: 'a' is another name of gpu017 already")
