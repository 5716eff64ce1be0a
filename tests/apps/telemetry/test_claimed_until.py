"""What the former version held when it stopped waits on: its lease says until when, not since."""

import pytest

from apps.telemetry.models import Batch, PushedBody
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.logs.log_lines import LINES
from tests.apps.telemetry.samples.windows import NOW_MS, drained
from tests.cast.pushes import NOW, cast, drain_all, push_text
from tests.former_version import execute, migrate

BEFORE = ("telemetry", "0015_batch_voices")


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_a_worker_of_the_former_version_held_is_read_by_the_next() -> None:
    people = cast()
    token = people.token(people.operator)
    assert push_text(token, "\n".join(LINES), host="gpu001").status_code < 300
    body = v1([Series(labels={"__name__": "up"}, samples=[(NOW_MS, 1.0)])])
    assert write(token, snapped(body)).status_code == 204
    try:
        migrate(BEFORE)
        for table in ("telemetry_batch", "telemetry_pushedbody"):
            execute(f"UPDATE {table} SET enqueued_at = %s, attempt_count = 1", NOW)  # noqa: S608
    finally:
        execute("SELECT set_config('portal.organizations', '', false)")
        migrate()

    with organization_scope(people.operator.pk):
        for model in (Batch, PushedBody):
            assert [(each.claimed_until, each.attempt_count) for each in model.objects.all()] == [
                (NOW, 1)
            ]
    assert drain_all(people.operator) == len(LINES)
    assert drained(people.operator) == 1
