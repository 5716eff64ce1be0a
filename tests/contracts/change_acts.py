"""Writing a change down, and taking it back: what a valid form looks like."""

from collections.abc import Mapping
from typing import Any

from tests.cast.changes import changed
from tests.contracts.acts import PAGE, Act
from tests.contracts.world import World


def _told(world: World) -> Mapping[str, Any]:
    """Let the operator have told of a change; return which one."""
    return {"change": changed(world.cast.operator, world.cast.cluster).public_id}


CHANGES = f"{PAGE}changes/<slug:cluster>/"
CHANGE_FORMS = (
    Act(
        method="post",
        pattern=f"{CHANGES}tell/",
        who="operator",
        body={"key": "form-1", "kind": "deploy", "title": "trainer", "at": "2026-11-21T01:00"},
    ),
    Act(method="post", pattern=f"{CHANGES}withdraw/", who="operator", body=_told),
)
