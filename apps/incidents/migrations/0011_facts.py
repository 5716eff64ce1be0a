"""What to do, what is missing and why an explanation fell: facts, where sentences stood."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.incidents.migrations import _former_sentences as former
from apps.tenancy.database import isolation

DIGESTED = (
    "verdict_status", "layer", "cause", "probability", "cause_probability", "phase", "end_state",
    "culprits", "restart", "actions", "first_stopper",
)  # fmt: skip
ROWS = 200


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write facts in the place of sentences."""
    alias = schema_editor.connection.alias
    for name, steps in (
        ("Incident", _incident),
        ("IncidentSession", _session),
        ("IncidentSnapshot", _snapshot),
        ("Hypothesis", _hypothesis),
    ):
        rows = apps.get_model("incidents", name)._default_manager.using(alias)  # noqa: SLF001
        for row in rows.order_by("pk").iterator(chunk_size=ROWS):
            rows.filter(pk=row.pk).update(**steps(row))


def _incident(row: Any) -> Mapping[str, Any]:
    header = {field: getattr(row, field) for field in DIGESTED}
    told = former.header_with_facts(header)
    # Looked at again, what it says has not changed: that is no new answer.
    is_whole = bytes(row.digest) == _digest(header)
    return {"actions": told["actions"], "digest": _digest(told) if is_whole else row.digest}


def _session(row: Any) -> Mapping[str, Any]:
    return {"conclusion": _conclusion(row.conclusion)}


def _snapshot(row: Any) -> Mapping[str, Any]:
    return {
        "header": former.header_with_facts(row.header),
        "hypotheses": [former.hypothesis_with_facts(each) for each in row.hypotheses],
        "sessions": [
            {**each, "conclusion": _conclusion(each["conclusion"])} for each in row.sessions
        ],
    }


def _conclusion(kept: Mapping[str, Any]) -> Mapping[str, Any]:
    if not kept:
        return kept
    return {
        **kept,
        "header": former.header_with_facts(kept["header"]),
        "hypotheses": [former.hypothesis_with_facts(each) for each in kept["hypotheses"]],
    }


def _hypothesis(row: Any) -> Mapping[str, Any]:
    return {
        "missing": former.missing_with_facts(row.missing, cause=row.cause),
        "ruled_out": former.ruled_out_fact(row.ruled_out_because),
    }


def _digest(header: Mapping[str, Any]) -> bytes:
    verdict = [header[name] for name in DIGESTED]
    return hashlib.blake2b(json.dumps(verdict, sort_keys=True).encode(), digest_size=16).digest()


class Migration(migrations.Migration):
    dependencies = [("incidents", "0010_evidence_fact")]

    operations = [
        migrations.AddField(
            model_name="hypothesis",
            name="ruled_out",
            field=models.JSONField(default=None, null=True),
        ),
        isolation.for_rows_of_all(carry_over),
    ]
