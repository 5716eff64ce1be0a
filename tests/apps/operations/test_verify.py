"""`manage.py verify`: what is whole, which entry is not, and what was cut off since."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.ledger import looked, tamper


def run(*words: str) -> str:
    printed = StringIO()
    call_command("verify", *words, stdout=printed)
    return printed.getvalue()


def as_json(*words: str) -> Any:
    printed = StringIO()
    code: Any = 0
    try:
        call_command("verify", "--format", "json", *words, stdout=printed)
    except SystemExit as ended:
        code = ended.code
    told = json.loads(printed.getvalue())
    assert code == (0 if told["is_whole"] else 1)
    return told


def records(told: Any, organization: Organization) -> dict[str, Any]:
    return {
        each["record"]: each
        for each in told["records"]
        if each["organization"] == organization.slug
    }


def acted(organization: Organization, *actions: str) -> None:
    with organization_scope(organization.pk):
        for action in actions:
            record(organization_id=organization.pk, act=AuditAction(action=action), now=make.AT)


@pytest.mark.django_db
def test_what_is_whole_is_said_of_each_record_with_its_last_entry() -> None:
    holder, reader = make.organization(), make.organization()
    acted(holder, "a", "b")
    looked(holder, reader, "INC-1")

    lines = run().splitlines()

    assert any(line.startswith(f"{holder.slug}: audit record: whole, 2 entries") for line in lines)
    assert any(line.startswith(f"{holder.slug}: share ledger: whole, 1 entries") for line in lines)
    assert f"{reader.slug}: share ledger: whole, and empty" in lines
    told = as_json("--organization", holder.slug)
    assert told["is_whole"]
    assert {each["organization"] for each in told["records"]} == {holder.slug}
    assert records(told, holder)["ledger"]["head"]["sequence"] == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize(
    ("how", "where"),
    [
        ("UPDATE tenancy_auditentry SET action = 'z' WHERE sequence = 2", "audit"),
        ("DELETE FROM tenancy_auditentry WHERE sequence = 2", "audit"),
        ("UPDATE sharing_ledgerentry SET count = 9 WHERE subject = 'INC-2'", "ledger"),
        ("DELETE FROM sharing_ledgerseal WHERE sequence = 2", "ledger"),
    ],
)
def test_the_first_entry_that_is_not_as_it_was_written_is_named(how: str, where: str) -> None:
    holder = make.organization()
    acted(holder, "a", "b", "c")
    looked(holder, make.organization(), "INC-1", "INC-2", "INC-3")
    run()
    tamper(holder, how)

    with pytest.raises(CommandError, match=holder.slug):
        run()
    told = as_json()

    assert not told["is_whole"]
    found = records(told, holder)
    assert (found[where]["first_broken"], found[where]["entries_whole"]) == (2, 1)
    assert all(each["is_whole"] for name, each in found.items() if name != where)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_cut_end_is_found_by_what_was_printed_before(tmp_path: Path) -> None:
    holder = make.organization()
    acted(holder, "a", "b", "c")
    kept = tmp_path / "verified.json"
    kept.write_text(json.dumps(as_json()), encoding="utf-8")
    tamper(
        holder,
        "DELETE FROM tenancy_auditentry WHERE sequence > 1; DELETE FROM tenancy_auditpoint",
    )

    assert records(as_json(), holder)["audit"]["is_whole"]  # nothing in the portal knows of more
    found = records(as_json("--known", str(kept)), holder)["audit"]
    assert (found["is_cut"], found["first_broken"]) == (True, 2)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_cut_end_is_found_by_the_portals_own_point_too_and_stays_found() -> None:
    holder = make.organization()
    acted(holder, "a", "b", "c")
    run()
    tamper(holder, "DELETE FROM tenancy_auditentry WHERE sequence > 1")

    for _again in range(2):
        assert records(as_json(), holder)["audit"]["is_cut"]


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", "[]", '{"schema": "else/1"}', '{"schema": 1, "records": 2}'])
def test_what_is_no_former_output_is_refused(tmp_path: Path, text: str) -> None:
    kept = tmp_path / "else.json"
    kept.write_text(text, encoding="utf-8")

    for path in (kept, tmp_path / "absent.json"):
        with pytest.raises(CommandError, match="--known") as refused:
            run("--known", str(path))
        assert refused.value.returncode == 2
