"""Which task sends what goes out by each channel, and how it is asked for."""

from collections.abc import Collection
from typing import Final

from apps.notifications.notification_kinds import Channel
from apps.tenancy.work import task_requests

MAIL: Final = "notifications.send_mail"
POST: Final = "notifications.post"
# Whoever sweeps asks again: a turn that nobody took by then is not needed.
EXPIRES_SECONDS: Final = 30


def ask(*, organization_id: int, channels: Collection[Channel]) -> None:
    """Queue a turn for each channel; e-mails of all organizations go in one."""
    for task, owner in _turns(organization_id, channels):
        task_requests.ask(task, queue="default", organization_id=owner, expires=EXPIRES_SECONDS)


def ask_on_commit(*, organization_id: int, channels: Collection[Channel]) -> None:
    """Queue a turn for each channel once what waits is durable."""
    for task, owner in _turns(organization_id, channels):
        task_requests.ask_on_commit(
            task, queue="default", organization_id=owner, expires=EXPIRES_SECONDS
        )


def _turns(organization_id: int, channels: Collection[Channel]) -> list[tuple[str, int]]:
    turns = [(Channel.EMAIL, MAIL, 0), (Channel.WEBHOOK, POST, organization_id)]
    return [(task, owner) for channel, task, owner in turns if channel in channels]
