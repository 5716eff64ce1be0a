"""A database of the former version keeps what its warnings said."""

import pytest

from apps.diagnosis.model import statement_of
from apps.telemetry.models import EarlyWarning
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.cast import make
from tests.cast.incidents import assemble
from tests.former_version import execute, migrate

BEFORE = ("telemetry", "0015_batch_voices")
WORDS = "gpu001: gpu.clock 1.1e+09 Hz against 1.9e+09; consistent with gpu-throttling"


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_warning_of_the_former_version_keeps_its_words() -> None:
    cast = assemble()
    with organization_scope(cast.operator.pk):
        for number in (1, 2):
            EarlyWarning.objects.create(
                organization=cast.operator,
                public_id=f"EP-{number}",
                cluster=cast.cluster,
                entity={"kind": "node", "host": f"gpu00{number}"},
                entity_key=f"node:gpu00{number}/",
                host=f"gpu00{number}",
                layer="gpu",
                score=0.9,
                is_page=True,
                starts_at=make.AT,
                raised_at=make.AT,
                told_at=make.AT,
            )
    try:
        migrate(BEFORE)
        execute("UPDATE telemetry_episode SET wording = %s WHERE host = 'gpu001'", WORDS)
    finally:
        execute("SELECT set_config('portal.organizations', '', false)")
        migrate()

    with organization_scope(cast.operator.pk):
        first, second = EarlyWarning.objects.order_by("public_id")
    assert first.statement is not None
    assert in_english(statement_of(first.statement)) == WORDS
    assert second.statement is None
