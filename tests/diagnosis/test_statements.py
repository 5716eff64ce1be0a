"""A fact goes into a table and comes back the same."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.model import Statement, statement, statement_json, statement_of
from apps.wording import in_english


def test_a_fact_comes_back_from_json_with_all_types_of_its_values() -> None:
    told = statement(
        "provide",
        source="kernel-log",
        would=statement("shows-host-error"),
        ranks=(1, 2),
        at=datetime(2026, 11, 14, 3, 12, tzinfo=UTC),
        ago=timedelta(minutes=3),
        odds=0.5,
        is_whole=True,
        host=None,
    )
    assert statement_of(statement_json(told)) == told
    assert "host" not in told.named


def test_what_is_no_value_of_a_fact_is_refused() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        statement_of({"kind": "provide", "values": {"source": None}})


def test_a_kind_of_a_newer_version_is_said_by_its_name() -> None:
    assert in_english(Statement("seen-by-moon")) == "seen by moon"
