"""Short logs in which one line names who failed."""

from typing import Any

from tests.cast.parties import World, build, send
from tests.contracts.forgery_scene import AT, BEGAN, NCCL


def _told(world: World, **said: Any) -> None:
    body = {"session": "job-1", "scheduler": "slurm", "project": "solar", **said}
    assert send(world, "platform", "/api/v1/session-events", body).status_code == 200


def story() -> World:
    """Return parties; the victim's session failed on gpu001, as the platform told."""
    world = build()
    _told(world, state="running", at=BEGAN, hosts=["gpu001"])
    _told(world, state="failed", at=AT.isoformat())
    assert send(world, "victim", "/api/v1/logs", NCCL, session="job-1", rank="0").status_code == 200
    return world
