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
    PicturedPage(
        name="compare", path="sessions/", follow=("/sessions/SES-", "/compare/"), who="northwind"
    ),
    PicturedPage(name="lines", path="incidents/", follow=("/incidents/INC-", "/lines/")),
    PicturedPage(name="warnings", path="warnings/"),
    PicturedPage(name="accuracy", path="accuracy/"),
    PicturedPage(name="sessions", path="sessions/", who="northwind"),
    PicturedPage(name="session", path="sessions/", follow=("/sessions/SES-",), who="northwind"),
    PicturedPage(name="retries", path="retries/", who="northwind"),
    PicturedPage(name="stragglers", path="stragglers/", who="northwind"),
    PicturedPage(name="reliability", path="reliability/", who="northwind"),
    PicturedPage(name="reports", path="reports/", who="northwind"),
    PicturedPage(name="report", path="reports/", follow=("/reports/RPT-",), who="northwind"),
    PicturedPage(name="fleet", path="fleet/meridian/"),
    PicturedPage(name="node", path="offenders/meridian/", follow=("/nodes/",)),
    PicturedPage(name="offenders", path="offenders/meridian/"),
    PicturedPage(name="changes", path="changes/meridian/"),
    PicturedPage(name="storage-path", path="clusters/meridian/storage-path/"),
    PicturedPage(name="find", path="find/?q=gpu"),
    PicturedPage(name="logs", path="logs/"),
    PicturedPage(name="log", path="logs/", follow=("/logs/",)),
    PicturedPage(name="explore", path="explore/"),
    PicturedPage(name="sources", path="sources/"),
    PicturedPage(name="source", path="sources/", follow=("/sources/SRC-",)),
    PicturedPage(name="connect", path="sources/connect/"),
    PicturedPage(name="upload", path="upload/", who="northwind"),
    PicturedPage(name="sharing", path="sharing/"),
    PicturedPage(name="agreement", path="sharing/", follow=("/agreements/",)),
    PicturedPage(name="view-as", path="sharing/as/strata/incidents/"),
    PicturedPage(name="bundles", path="sharing/bundles/"),
    PicturedPage(name="bundle-new", path="incidents/", follow=("/incidents/INC-", "/bundles/new/")),
    PicturedPage(name="bundle", path="sharing/bundles/", follow=("/sharing/bundles/BND-",)),
    PicturedPage(name="ledger", path="sharing/ledger/"),
    PicturedPage(name="members", path="settings/members/"),
    PicturedPage(name="clusters", path="settings/clusters/"),
    PicturedPage(name="audit", path="settings/audit/"),
    PicturedPage(name="account", path="settings/account/"),
    PicturedPage(name="single-sign-on", path="settings/single-sign-on/"),
    PicturedPage(name="tokens", path="settings/tokens/"),
    PicturedPage(name="notifications", path="settings/notifications/"),
    PicturedPage(name="costs", path="settings/costs/"),
    PicturedPage(name="retention", path="settings/retention/"),
)
