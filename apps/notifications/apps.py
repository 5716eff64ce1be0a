"""Being told: e-mail and a signed webhook, derived from what incidents and sources show."""

from django.apps import AppConfig

from apps.incidents import subscribers
from apps.tenancy.work.task_requests import ask


class NotificationsConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new verdicts."""

    name = "apps.notifications"
    label = "notices"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at what is new as soon as it is committed."""
        subscribers.CALLBACKS.append(_look)


def _look(*, organization_ids: list[int]) -> None:
    for organization_id in organization_ids:
        ask("notifications.look", queue="correlate", organization_id=organization_id)
