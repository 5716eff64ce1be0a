"""What an organization keeps of its bundles has a limit, which the form tells before it refuses."""

import pytest

from apps.incidents.models import Incident
from apps.sharing.bundles import bundle_rows
from apps.sharing.bundles.bundle_contents import BadBundleChoice
from apps.sharing.facade.bundles import room_for
from apps.sharing.models import BundleContent
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast.bundles import made
from tests.cast.clients import member
from tests.cast.incidents import actor
from tests.cast.stopped_session import stopped_by_a_gpu


@pytest.mark.django_db
def test_all_files_of_an_organization_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    people = stopped_by_a_gpu().people
    made(people.operator, people.tenant)
    with organization_scope(people.operator.pk):
        room = room_for(actor=actor(people.operator))
        size = len(bytes(BundleContent.objects.get().body))
        incident = Incident.objects.get().public_id
    assert (room.count, room.size, room.most, room.most_size) == (1, size, 200, 2**30)

    monkeypatch.setattr(bundle_rows, "LIVE_BYTES_AT_MOST", 2 * size - 100)
    with pytest.raises(BadBundleChoice, match=r"your bundles take .* MiB of .*: choose less"):
        made(people.operator, people.tenant)
    asking = member(people.operator, MemberRole.ADMIN).client
    page = asking.get(f"/o/{people.operator.slug}/sharing/bundles/new/", {"incident": incident})
    assert "You keep 1 of at most 200 bundles" in page.content.decode()

    monkeypatch.setattr(bundle_rows, "LIVE_BYTES_AT_MOST", 3 * size)
    assert made(people.operator, people.tenant)
