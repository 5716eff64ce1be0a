"""Mentions: of parties that read the annotation, and of people of one's own organization."""

import pytest

from apps.incidents.annotations import revise
from apps.incidents.entries import Note
from apps.incidents.models import Incident
from apps.incidents.refusals import MentionUnread
from apps.incidents.threads.mentions import names_in
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.threads.scene import NOW, write
from tests.cast import make
from tests.cast.incidents import Cast, actor


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@aurora, look", {"aurora"}),
        ("ask @kim.lee. Or (@aurora-cloud)", {"kim.lee", "aurora-cloud"}),
        ("mail a@aurora.example or git@aurora", set()),
        ("`@torch` and ```\n@jit\n``` run", set()),
        ("@", set()),
        ("@@aurora", set()),
        ("@" * 10_000, set()),
        ("``" * 5_000, set()),
    ],
)
def test_names_stand_behind_an_at_sign_and_not_in_code(text: str, names: set[str]) -> None:
    assert names_in(text) == names


def test_a_party_of_the_audience_is_mentioned(cast: Cast, incident: Incident) -> None:
    row = write(incident, cast.tenant, f"@{cast.operator.slug}: please look", cast.operator)
    assert row.mentioned_parties == [cast.operator.pk]


def test_a_party_that_would_not_read_it_is_a_refusal_and_no_wider_audience(
    cast: Cast, incident: Incident
) -> None:
    with pytest.raises(MentionUnread, match=cast.vendor.slug):
        write(incident, cast.tenant, f"@{cast.vendor.slug}: look", cast.operator)


def test_also_an_edit_may_mention_nobody_who_does_not_read_it(
    cast: Cast, incident: Incident
) -> None:
    first = write(incident, cast.tenant, "ours")
    with organization_scope(cast.tenant.pk), pytest.raises(MentionUnread):
        revise(
            actor=actor(cast.tenant), former=first,
            note=Note(text=f"@{cast.operator.slug}"), now=NOW,
        )  # fmt: skip


def test_a_stranger_and_nobody_are_plain_text_alike(cast: Cast, incident: Incident) -> None:
    for name in (cast.stranger.slug, cast.other_tenant.slug, "nobody-at-all"):
        row = write(incident, cast.tenant, f"@{name}: look", cast.operator)
        assert (row.mentioned_parties, row.mentioned_people) == ([], [])


def test_of_people_those_of_the_own_organization_are_mentioned(
    cast: Cast, incident: Incident
) -> None:
    own = make.user(organization=cast.tenant)
    other = make.user(organization=cast.operator)
    row = write(incident, cast.tenant, f"@{own.username} and @{other.username}", cast.operator)
    assert row.mentioned_people == [own.pk]
