"""Names and secrets of the holder and of others, searched in every byte of a bundle."""

import io
import json
import re
from collections.abc import Mapping

import pytest

from apps.fleet.models import Attempt, Session, SessionParty
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident
from apps.sharing.bundles.bundle_contents import BadBundleChoice
from apps.sharing.bundles.bundle_file import read_bundle
from apps.sharing.facade import bundles
from apps.sharing.models import BundleContent, BundleOriginal, RecipientsKey
from apps.sharing.terms import Level
from apps.tenancy.access import NotFound
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, xid
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.bundles import kept_file, made, sent, taken, told_by
from tests.cast.pushes import Cast
from tests.cast.pushes import cast as parties
from tests.cast.stopped_session import CRASH

TOKEN = "hf_abcdefghijABCDEFGHIJabcdefghijABCD"  # noqa: S105  a canary
KEY = "-----BEGIN {}-----".format("PRIVATE KEY")
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB"
CANARIES = {
    "secret": (TOKEN, "jane@corp.example", BODY[:30]),
    "name": ("gpu001", "10.20.30.40", "secret-lake", "minji", "solar-100b"),
}
NOISE = [
    "2026-11-21T02:00:01+00:00 gpu001 kernel: mount /mnt/secret-lake/solar-100b from 10.20.30.40",
    f"2026-11-21T02:00:02+00:00 gpu001 app: --hf-token {TOKEN} user=minji jane@corp.example",
    f"2026-11-21T02:00:03+00:00 gpu001 app: {KEY}",
    f"2026-11-21T02:00:04+00:00 gpu001 app: {BODY}",
]


@pytest.fixture
def people(db: None) -> Cast:
    """A kernel log of the operator's holds names and secrets beside what it is cited for."""
    people = parties()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    come_in(people.tenant, people.cluster, CRASH, at=make.AT, session="run-1", host="gpu001")
    lines = [*NOISE, xid(5, make.AT), "2026-11-21T02:00:06+00:00 gpu001 app: job lunar-secret-run"]
    come_in(people.operator, people.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=make.AT)
    return people


def all_bytes(files: Mapping[str, bytes]) -> str:
    return b"\n".join(files.values()).decode()


def named_others(people: Cast) -> None:
    """Let the operator know of another tenant's session that its log names."""
    with organization_scope(people.other.pk, people.operator.pk):
        session = Session.objects.create(
            organization=people.other,
            public_id="SES-OTHER",
            cluster=people.cluster,
            scheduler="slurm",
            name="lunar-secret-run",
            created_at=make.AT,
        )
        SessionParty.objects.create(organization=people.operator, session=session)


@pytest.mark.parametrize("profile", ["operations", "support"])
def test_nothing_of_the_holder_s_own_names_is_in_it(people: Cast, profile: str) -> None:
    file = kept_file(
        people.operator, made(people.operator, people.tenant, profile=profile, neighbours=20)
    )

    text = all_bytes(file.files) + json.dumps(dict(file.manifest))
    assert "has fallen off the bus" in text
    assert "kernel: mount" in text
    assert [each for kind in CANARIES for each in CANARIES[kind] if each in text] == []


def test_secrets_go_at_full_level_too(people: Cast) -> None:
    file = kept_file(
        people.operator, made(people.operator, people.tenant, level=Level.FULL, neighbours=20)
    )

    text = all_bytes(file.files)
    assert "/mnt/secret-lake/solar-100b" in text
    assert [each for each in CANARIES["secret"] if each in text] == []


def test_a_line_that_names_another_party_stays_where_names_do(people: Cast) -> None:
    named_others(people)

    full = kept_file(people.operator, made(people.operator, people.platform, level=Level.FULL))
    hidden = kept_file(people.operator, made(people.operator, people.platform))

    assert "lunar-secret-run" not in all_bytes(full.files)
    assert {"what": "lines", "why": "names-another-party", "count": 1} in full.manifest["withheld"]
    assert "lunar-secret-run" not in all_bytes(hidden.files)


def test_the_same_recipients_have_the_same_pseudonyms_and_others_have_others(people: Cast) -> None:
    def host(*to: Organization) -> str:
        file = kept_file(people.operator, made(people.operator, *to))
        return str(json.loads(file.files["lines.ndjson"].splitlines()[0])["host"])

    assert host(people.tenant) == host(people.tenant)
    assert (
        len({host(people.tenant), host(people.platform), host(people.tenant, people.platform)}) == 3
    )


def test_under_an_agreement_names_are_those_of_the_agreement(people: Cast) -> None:
    agreement = agreed(people.operator, people.tenant, people.cluster, preset="open-book")

    file = kept_file(people.operator, made(people.operator, people.tenant))

    assert file.manifest["basis"] == f"{agreement.public_id} v1"
    with organization_scope(people.operator.pk):
        assert not RecipientsKey.objects.exists()


def test_two_tenants_don_t_learn_of_each_other(people: Cast) -> None:
    parts = ((people.operator, "operator"), (people.tenant, "tenant"), (people.other, "tenant"))
    told = [{"organization": each.pk, "parts": [part]} for each, part in parts]
    with organization_scope(people.tenant.pk):
        assert Incident.objects.update(parties=told) == 1
    with pytest.raises(BadBundleChoice, match="one for each tenant"):
        made(people.operator, people.tenant, people.other)


def test_the_database_itself_shows_a_bundle_to_those_it_was_sent_to(people: Cast) -> None:
    public_id = made(people.operator, people.tenant)
    with organization_scope(people.tenant.pk):
        assert not BundleContent.objects.exists()
    public_id = sent(people.operator, people.tenant)
    for who, count in ((people.tenant, 1), (people.other, 0), (people.platform, 0)):
        with organization_scope(who.pk):
            assert BundleContent.objects.count() == count
            assert not BundleOriginal.objects.exists()
            assert not RecipientsKey.objects.exists()

    assert read_bundle(io.BytesIO(taken(people.tenant, public_id))).manifest["bundle"] == public_id


def test_its_holder_finds_out_what_a_name_stands_for(people: Cast) -> None:
    public_id = made(people.operator, people.tenant, neighbours=20)
    lines = kept_file(people.operator, public_id).files["lines.ndjson"].decode().splitlines()
    text = json.loads(lines[0])["text"]
    told = told_by(people.operator)

    with organization_scope(people.operator.pk):
        found = {
            word: bundles.name_behind(actor=told.actor, public_id=public_id, name=word)
            for word in re.findall(r"[a-z]+-[2-9b-z]{11}", text)
        }
        of_no_bundle = bundles.name_behind(actor=told.actor, public_id=public_id, name="host-x")

    assert {"gpu001", "secret-lake", "solar-100b"} <= set(found.values())
    assert of_no_bundle is None
    reader = told_by(people.tenant).actor
    with organization_scope(people.tenant.pk), pytest.raises(NotFound):
        bundles.name_behind(actor=reader, public_id=public_id, name=next(iter(found)))
