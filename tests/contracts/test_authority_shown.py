"""The table of who may say what is the one that the documentation shows."""

from pathlib import Path

import pytest

from apps.fleet.authority.authority_table import as_markdown
from apps.fleet.authority.rules import PARTS, ROWS, TABLE, SenderStanding, Subject, standing_of
from apps.fleet.models import ParticipationRole

DOCS = Path(__file__).parents[2] / "docs" / "connecting.md"


def test_the_documentation_shows_the_table() -> None:
    assert as_markdown() in DOCS.read_text(encoding="utf-8")


def test_the_table_judges_each_part_and_each_subject() -> None:
    assert set(ROWS) == set(Subject)
    assert set(PARTS) == set(ParticipationRole)
    assert all(set(row) == set(ParticipationRole) for row in TABLE.values())


@pytest.mark.parametrize("subject", list(Subject))
def test_of_several_parts_the_strongest_word_holds(subject: Subject) -> None:
    found = standing_of(
        parts=(ParticipationRole.TENANT, ParticipationRole.OPERATOR), subject=subject, is_own=False
    )

    assert found is SenderStanding.ASSERTED


def test_a_vendor_speaks_for_the_layers_that_it_answers_for() -> None:
    parts = (ParticipationRole.GPU_VENDOR,)

    assert standing_of(parts=parts, subject=Subject.FABRIC, is_own=False) is SenderStanding.CLAIMED
    assert (
        standing_of(parts=parts, subject=Subject.FABRIC, is_own=False, layers=["network"])
        is SenderStanding.ASSERTED
    )


def test_layers_give_a_tenant_no_word() -> None:
    found = standing_of(
        parts=(ParticipationRole.TENANT,), subject=Subject.FABRIC, is_own=False, layers=["network"]
    )

    assert found is SenderStanding.CLAIMED


def test_without_a_part_nothing_is_taken() -> None:
    assert all(
        standing_of(parts=(), subject=subject, is_own=True) is SenderStanding.REFUSED
        for subject in Subject
    )
