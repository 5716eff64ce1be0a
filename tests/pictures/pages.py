"""Which pages are pictured, as whom, and how each is reached."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturedPage:
    """A page of an organization: its path behind `/o/<org>/`, or a link of a page before it."""

    name: str
    path: str
    follow: tuple[str, ...] = ()  # parts of addresses of links, each followed from the last page
    who: str = "aurora"


PAGES: Final = (
    PicturedPage(name="home", path=""),
    PicturedPage(name="home-tenant", path="", who="northwind"),
    PicturedPage(name="incidents", path="incidents/"),
    PicturedPage(name="incident", path="incidents/", follow=("/incidents/INC-",)),
    PicturedPage(
        name="incident-tenant", path="incidents/", follow=("/incidents/INC-",), who="northwind"
    ),
    PicturedPage(name="sessions", path="sessions/", who="northwind"),
    PicturedPage(name="session", path="sessions/", follow=("/sessions/SES-",), who="northwind"),
    PicturedPage(name="fleet", path="fleet/"),
    PicturedPage(name="node", path="offenders/", follow=("/nodes/",)),
    PicturedPage(name="offenders", path="offenders/"),
    PicturedPage(name="warnings", path="warnings/"),
    PicturedPage(name="reliability", path="reliability/", who="northwind"),
    PicturedPage(name="reports", path="reports/", who="northwind"),
    PicturedPage(name="retries", path="retries/", who="northwind"),
    PicturedPage(name="stragglers", path="stragglers/", who="northwind"),
    PicturedPage(name="storage-path", path="storage-path/", follow=("/storage-path/",)),
    PicturedPage(name="find", path="find/?q=gpu"),
    PicturedPage(name="logs", path="logs/"),
    PicturedPage(name="explore", path="explore/"),
    PicturedPage(name="sources", path="sources/"),
    PicturedPage(name="upload", path="upload/", who="northwind"),
    PicturedPage(name="sharing", path="sharing/"),
    PicturedPage(name="accuracy", path="accuracy/"),
    PicturedPage(name="settings", path="settings/"),
)
