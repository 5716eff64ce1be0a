"""The chain over a holder's ledger: every look gets its place, and what is changed is found."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from apps.sharing.ledger import seals
from apps.sharing.models import LedgerEntry, LedgerSeal
from apps.sharing.tasks import seal_ledgers
from apps.tenancy.audit.chain import ChainHead, ChainVerification
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.ledger import looked, tamper

REMOVED = (
    "DELETE FROM sharing_ledgerseal WHERE sequence = 2;"
    " DELETE FROM sharing_ledgerentry WHERE subject = 'INC-2'"
)
SWAPPED = (
    "UPDATE sharing_ledgerseal SET sequence = 9 WHERE sequence = 1;"
    " UPDATE sharing_ledgerseal SET sequence = 1 WHERE sequence = 2;"
    " UPDATE sharing_ledgerseal SET sequence = 2 WHERE sequence = 9"
)


@pytest.fixture
def sides() -> tuple[Organization, Organization]:
    return make.organization(), make.organization()


def check(holder: Organization, known: ChainHead | None = None) -> ChainVerification:
    with organization_scope(holder.pk):
        return seals.LEDGER.check_all(organization_id=holder.pk, now=make.AT, known=known)


def sealed(holder: Organization) -> list[tuple[int, str]]:
    with organization_scope(holder.pk):
        rows = LedgerSeal.objects.for_organization(holder).order_by("sequence")
        return list(rows.values_list("sequence", "entry__subject"))


@pytest.mark.django_db
def test_looks_are_sealed_once_in_their_order_and_by_holder(
    sides: tuple[Organization, Organization],
) -> None:
    holder, reader = sides
    looked(holder, reader, "INC-1", "INC-2")
    looked(reader, holder, "INC-9")
    seals.seal_all(organization_id=holder.pk)
    looked(holder, reader, "INC-3")
    seals.seal_all(organization_id=holder.pk)
    seals.seal_all(organization_id=holder.pk)

    assert sealed(holder) == [(1, "INC-1"), (2, "INC-2"), (3, "INC-3")]
    assert sealed(reader) == []
    assert check(holder) == ChainVerification(until=3)


@pytest.mark.django_db
def test_the_worker_seals_what_was_written_lately(
    sides: tuple[Organization, Organization], time_machine: object
) -> None:
    holder, reader = sides
    looked(holder, reader, "INC-1")
    time_machine.move_to(make.AT + timedelta(days=8), tick=False)  # type: ignore[attr-defined]
    seal_ledgers()
    assert sealed(holder) == []
    time_machine.move_to(make.AT + timedelta(minutes=1), tick=False)  # type: ignore[attr-defined]
    seal_ledgers()

    assert sealed(holder) == [(1, "INC-1")]


@pytest.mark.django_db
@pytest.mark.parametrize("model", [LedgerEntry, LedgerSeal])
def test_the_application_changes_and_deletes_nothing(
    sides: tuple[Organization, Organization], model: type[LedgerEntry | LedgerSeal]
) -> None:
    holder, reader = sides
    looked(holder, reader, "INC-1")
    seals.seal_all(organization_id=holder.pk)
    with organization_scope(holder.pk):
        rows = model.objects.for_organization(holder)
        assert rows.exists()
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            rows.update(digest=b"")
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            rows._raw_delete(using=rows.db)


@pytest.mark.django_db
def test_nobody_writes_into_anothers_ledger_and_a_third_party_reads_none(
    sides: tuple[Organization, Organization],
) -> None:
    holder, reader = sides
    looked(holder, reader, "INC-1")
    with organization_scope(reader.pk):
        row = LedgerEntry.objects.get()
        row.pk, row.public_id, row.subject = None, "LOOK-forged", "INC-2"
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            row.save(force_insert=True)
        assert not LedgerSeal.objects.exists()
    with organization_scope(make.organization().pk):
        assert not LedgerEntry.objects.exists()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize(
    ("tampering", "broken"),
    [
        ("UPDATE sharing_ledgerentry SET count = 9 WHERE subject = 'INC-2'", 2),
        ("UPDATE sharing_ledgerentry SET reader_label = 'user:x' WHERE subject = 'INC-2'", 2),
        (REMOVED, 2),
        (SWAPPED, 1),
        ("UPDATE sharing_ledgerseal SET sequence = sequence + 7 WHERE sequence > 2", 3),
    ],
)
def test_what_is_changed_removed_or_swapped_behind_the_portal_is_found(
    tampering: str, broken: int
) -> None:
    holder, reader = make.organization(), make.organization()
    looked(holder, reader, "INC-1", "INC-2", "INC-3")
    seals.seal_all(organization_id=holder.pk)
    tamper(holder, tampering)

    assert check(holder).broken == broken


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_an_end_that_was_cut_off_is_found_where_a_later_head_is_known() -> None:
    holder, reader = make.organization(), make.organization()
    looked(holder, reader, "INC-1", "INC-2", "INC-3")
    seals.seal_all(organization_id=holder.pk)
    with organization_scope(holder.pk):
        head = seals.LEDGER.head_of(organization_id=holder.pk)
    cut = (
        "DELETE FROM sharing_ledgerseal WHERE sequence > 1;"
        " DELETE FROM sharing_ledgerentry WHERE subject <> 'INC-1'"
    )
    tamper(holder, cut)

    assert head is not None
    assert check(holder, known=head) == ChainVerification(until=1, broken=2, is_cut=True)
    assert check(holder) == ChainVerification(until=1)  # nobody knew of more
    tamper(holder, "DELETE FROM sharing_ledgerseal; DELETE FROM sharing_ledgerentry")
    assert check(holder).is_cut  # the portal's own point knew of one
