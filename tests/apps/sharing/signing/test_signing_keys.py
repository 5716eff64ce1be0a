"""Keys that sign answers: one signs, former ones only prove; who reads them; sealed like others."""

from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import override_settings

from apps.incidents.evidence_requests.request_views import EvidenceRequestView
from apps.incidents.facade import evidence_requests as requests
from apps.incidents.models import EvidenceRequest, Incident
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.models import SignedAnswer, SigningKey, SigningSecret
from apps.sharing.signing.answer_file import canonical, is_signed, read_answer, sign
from apps.sharing.signing.signing_keys import private_key, public_keys, replace_key, signing_key
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.answers import answered, heard
from tests.cast.evidence_requests import asked, context
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def request_id(cast: Cast) -> str:
    """A request that the operator answered."""
    incident: Incident = stop_of(cast, attempt_of(cast, cast.tenant))
    heard(cast)
    found = asked(incident, cast.tenant, cast.operator, data="logs:kernel")
    answered(found, cast.operator, ["gpu-errors"])
    return found


def file_for(organization: Organization, request_id: str) -> bytes:
    with organization_scope(organization.pk):
        return requests.answer_file(
            actor=actor(organization, MemberRole.VIEWER),
            public_id=request_id,
            channel=LedgerChannel.EXPORT,
            now=make.AT,
        )


def shown(organization: Organization, request_id: str) -> EvidenceRequestView:
    with organization_scope(organization.pk):
        return requests.open_request(
            actor=actor(organization, MemberRole.VIEWER),
            public_id=request_id,
            now=make.AT,
            channel=LedgerChannel.PAGE,
        )


def test_a_new_key_signs_from_now_on_and_what_the_former_signed_stays_good(
    cast: Cast, request_id: str
) -> None:
    former = read_answer(file_for(cast.tenant, request_id)).fingerprint
    with organization_scope(cast.operator.pk):
        made = replace_key(context=context(cast.operator))
        key = signing_key(organization=cast.operator, by="", now=make.AT)

    assert key.fingerprint == made != former
    assert read_answer(file_for(cast.tenant, request_id)).fingerprint == former
    answer = shown(cast.tenant, request_id).answer
    assert answer is not None
    assert answer.is_good
    with organization_scope(cast.operator.pk), pytest.raises(SigningSecret.DoesNotExist):
        private_key(key=SigningKey.objects.get(fingerprint=former))


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_an_admin_makes_a_new_key(cast: Cast, role: MemberRole) -> None:
    with organization_scope(cast.operator.pk), pytest.raises(NotFound):
        replace_key(context=context(cast.operator, role))


def test_the_private_half_is_read_by_nobody_else(cast: Cast, request_id: str) -> None:
    with organization_scope(cast.tenant.pk):
        assert [each.organization_id for each in SigningKey.objects.all()] == [cast.operator.pk]
        assert not SigningSecret.objects.exists()
        reader = actor(cast.tenant, MemberRole.VIEWER)
        assert [each.is_own for each in public_keys(actor=reader)] == [False]
    with organization_scope(cast.vendor.pk):
        assert not SigningKey.objects.exists()


def test_it_is_sealed_anew_with_the_others(cast: Cast, request_id: str) -> None:
    keys = ["another-secret-key-of-the-portal", "portal-tests"]
    with override_settings(PORTAL_SECRET_KEYS=[keys[0], *settings.PORTAL_SECRET_KEYS]):
        call_command("reseal", stdout=StringIO())
    with override_settings(PORTAL_SECRET_KEYS=[keys[0]]), organization_scope(cast.operator.pk):
        key = signing_key(organization=cast.operator, by="", now=make.AT)
        document = canonical({"key": key.fingerprint})
        signature = sign(document, key=private_key(key=key))
    assert is_signed(document, signature=signature, public_key=bytes(key.public_key))


def forge(cast: Cast, request_id: str, by: Organization, **changes: object) -> str:
    """Let a party write an answer of its own making to a request of somebody else's choosing."""
    with organization_scope(cast.operator.pk):
        good = SignedAnswer.objects.get(request=request_id)
        document, signature = bytes(good.document), bytes(good.signature)
        key_id = good.key_id
    incident = None
    with organization_scope(cast.tenant.pk):
        incident = EvidenceRequest.objects.get(public_id=request_id).incident
    other = asked(incident, cast.tenant, cast.operator, data="logs:kernel")
    told = context(cast.operator)
    row = {
        "counterpart": cast.tenant, "key_id": key_id, "public_id": "ANS-FORGED",
        "request": other, "document": document, "signature": signature,
        "made_by": told.actor.name, "made_at": make.AT,
    }  # fmt: skip
    with organization_scope(by.pk):
        if "own_key" in changes:
            row["key_id"] = signing_key(organization=by, by="", now=make.AT).pk
            changes.pop("own_key")
        SignedAnswer.objects.create(organization=by, **(row | changes))
    return other


def test_an_answer_to_another_request_is_not_shown_for_this_one(
    cast: Cast, request_id: str
) -> None:
    other = forge(cast, request_id, cast.operator)

    with pytest.raises(NotFound):
        file_for(cast.tenant, other)


def test_who_was_not_asked_answers_nothing(cast: Cast, request_id: str) -> None:
    other = forge(cast, request_id, cast.vendor, own_key=True)

    with pytest.raises(NotFound):
        file_for(cast.tenant, other)


def test_a_document_that_its_key_did_not_sign_is_not_shown(cast: Cast, request_id: str) -> None:
    other = forge(cast, request_id, cast.operator, signature=b"\x00" * 64)

    with pytest.raises(NotFound):
        file_for(cast.tenant, other)


def test_no_answer_can_be_changed_afterwards(cast: Cast, request_id: str) -> None:
    with organization_scope(cast.operator.pk), pytest.raises(DatabaseError), transaction.atomic():
        SignedAnswer.objects.update(document=b"{}")
