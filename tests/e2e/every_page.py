"""A world in which every page has something to show, and the addresses of all of its pages."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from playwright.sync_api import Page

from apps.tenancy.models import MemberRole, Membership, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import fleet_world, make, storage_world
from tests.cast.changes import changed
from tests.cast.failing_nodes import LEMON, broken, left_out
from tests.cast.training_season import DAYS, FIRST_DAY, build_season
from tests.contracts.route_matrix import Route, inside
from tests.contracts.world import World, build

SEASON: Final = f"?from={FIRST_DAY:%Y-%m-%d}&until={FIRST_DAY + timedelta(days=DAYS):%Y-%m-%d}"
# Read by scripts of pages, never opened.
NO_PAGES: Final = ("/stream/", "/live/changes/", "/annotations/changes/", "/timeline/")
SIGNED_OUT: Final = ("/sign-in/", "/reference/", "/join/absent/", "/no-such-page/")
OF_ONESELF: Final = ("/account/second-factor/", "/account/sessions/", "/account/confirm/")


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryPage:
    """A world and one person, who is an admin of each organization whose pages are looked at."""

    world: World
    fleet: fleet_world.FleetWorld
    storage: storage_world.StorageWorld
    person: User

    @property
    def addresses(self) -> list[str]:
        """Return where pages may be, each once: all routes at its owner's, some at others'."""
        cast, ids = self.world.cast, self.world.ids
        found = [route.path(self._owner(route).slug, ids) for route in routes_of_pages()]
        incident = f"incidents/{ids['incidents']}/"
        found += [
            f"/o/{who.slug}/{path}"
            for who in (cast.tenant, cast.vendor)
            for path in ("", "incidents/", incident, "sessions/", "reliability/")
        ]
        return list(dict.fromkeys([*found, *self._worlds(), *OF_ONESELF]))

    def _owner(self, route: Route) -> Organization:
        kinds = [kind for kind in route.objects if kind in self.world.owners]
        return self.world.owners[kinds[-1]] if kinds else self.world.cast.operator

    def _worlds(self) -> tuple[str, ...]:
        fleet, storage = self.fleet, self.storage
        return (
            f"/o/{self.world.cast.tenant.slug}/reliability/{SEASON}",
            f"/o/{fleet.operator.slug}/fleet/{fleet.cluster.slug}/",
            f"/o/{fleet.tenant.slug}/fleet/{fleet.cluster.slug}/",
            f"/o/{storage.operator.slug}/storage-path/{storage.cluster.slug}/",
            f"/o/{storage.vendor.slug}/storage-path/{storage.cluster.slug}/",
        )


def routes_of_pages() -> list[Route]:
    """Return the routes that may answer with a page."""
    return [each for each in inside() if each.is_page and not each.pattern.endswith(NO_PAGES)]


def build_every_page(*, now: datetime) -> EveryPage:
    """Make the world and its admin."""
    world = build()
    build_season(world.cast, sessions=6, saves=12)
    for days in (20, 10, 1):
        broken(world.cast, LEMON, now - timedelta(days=days))
        left_out(world.cast, LEMON, now - timedelta(days=days - 0.2))
    at = {"starts_at": now - timedelta(days=1), "hosts": (LEMON,)}
    changed(world.cast.operator, world.cast.cluster, **at)
    fleet, storage = fleet_world.build(now=now), storage_world.build(now=now)
    person = make.user(organization=world.cast.operator, role=MemberRole.ADMIN, name="hana")
    others = (world.cast.tenant, world.cast.vendor, fleet.operator, fleet.tenant)
    for each in (*others, storage.operator, storage.vendor):
        with organization_scope(each.pk):
            Membership.objects.create(organization=each, user=person, role=MemberRole.ADMIN)
    return EveryPage(world=world, fleet=fleet, storage=storage, person=person)


def opens(page: Page, address: str) -> bool:
    """Whether there is a page at this very address; a file, a form's target, a piece are none."""
    # Asked for beside the browser first: what a browser can't show would break off its next page.
    answer = page.request.get(address, max_redirects=0)
    told = answer.headers
    is_text = told.get("content-type", "").startswith("text/html")
    is_shown = answer.status in {200, 404} and "content-disposition" not in told
    if not (is_text and is_shown and answer.text().lstrip()[:9].lower() == "<!doctype"):
        return False
    page.goto(address, wait_until="load")
    return True
