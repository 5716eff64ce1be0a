"""Being told: e-mail and a signed webhook, derived from what incidents and sources show."""

from django.apps import AppConfig

from apps.incidents import wake
from apps.tenancy.asking import ask


class NoticesConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new verdicts."""

    name = "apps.notices"
    label = "notices"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at what is new as soon as it is committed."""
        wake.CALLBACKS.append(_look)


def _look(*, organization_ids: list[int]) -> None:
    for organization_id in organization_ids:
        ask("notices.look", queue="correlate", organization_id=organization_id)
