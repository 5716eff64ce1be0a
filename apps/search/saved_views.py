"""Saved views of one person, and those that others of its organization share with it.

Each function needs the scope of the actor's organization. Views are people's: a token has none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import choice
from typing import Final
from urllib.parse import parse_qsl, urlencode

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from apps.diagnosis.input_values import storable
from apps.search.models import DefaultView, ListName, SavedView
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import User

MOST: Final = 100  # of one person
MOST_LETTERS: Final = 1000  # of a query
LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class BadView(Exception):
    """A view that can't be kept so."""


class ViewNameTaken(BadView):
    """The person has another view of that name."""


class TooManyViews(BadView):
    """The person has as many views as one may keep."""


class ViewTooLong(BadView):
    """What a view asks for is longer, written as an address, than is kept."""


class ViewNameMissing(BadView):
    """A view needs a name, and none longer than 80 letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewEntry:
    """A view as somebody wants to keep it."""

    list_name: ListName
    name: str
    query: str
    is_shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewValue:
    """A view that a person may open."""

    public_id: str
    list_name: str
    name: str
    query: str
    is_shared: bool
    is_own: bool
    is_default: bool
    owner: str  # who keeps it


def views_of(*, actor: Actor, list_name: str | None = None) -> Sequence[ViewValue]:
    """Return the views that a person may open, its own first, by name."""
    user = _person(actor)
    rows = _readable(actor, user).select_related("user")
    if list_name:
        rows = rows.filter(list_name=list_name)
    chosen = _defaults(actor, user).values_list("view_id", flat=True)
    defaults = frozenset(chosen)
    found = [_value(row, user, is_default=row.pk in defaults) for row in rows]
    return sorted(found, key=lambda each: (not each.is_own, each.name.casefold(), each.public_id))


def open_view(*, actor: Actor, public_id: str) -> ViewValue:
    """Return a view that a person may open; raise NotFound."""
    found = [each for each in views_of(actor=actor) if each.public_id == public_id]
    if not found:
        raise NotFound
    return found[0]


def default_view(*, actor: Actor, list_name: str) -> ViewValue | None:
    """Return the view that a list opens with for a person; None: with everything."""
    if actor.user is None:
        return None
    row = (
        _defaults(actor, actor.user)
        .filter(list_name=list_name, view__in=_readable(actor, actor.user))
        .select_related("view__user")
        .first()
    )
    return _value(row.view, actor.user, is_default=True) if row else None


def save_view(*, actor: Actor, entry: ViewEntry, now: datetime) -> ViewValue:
    """Keep a view; one of the same name and list gets the new filter. Raises BadView."""
    user = _person(actor)
    name = _named(entry.name)
    own = SavedView.objects.for_organization(actor.organization).filter(user=user)
    known = own.filter(list_name=entry.list_name, name=name).first()
    if known is None and own.count() >= MOST:
        raise TooManyViews
    row = known or SavedView(
        organization=actor.organization,
        user=user,
        public_id="VIEW-" + "".join(choice(LETTERS) for _ in range(10)),
        list_name=entry.list_name,
        name=name,
        created_at=now,
    )
    row.query, row.is_shared = _written(entry.query), entry.is_shared
    _save(row)
    return _value(row, user, is_default=False)


def change_view(
    *, actor: Actor, public_id: str, name: str | None = None, is_shared: bool | None = None
) -> ViewValue:
    """Rename a view of one's own, share it or no more. Raises NotFound, BadView."""
    user, row = _own(actor, public_id)
    if name is not None:
        row.name = _named(name)
    if is_shared is not None:
        row.is_shared = is_shared
    _save(row)
    if not row.is_shared:
        defaults = DefaultView.objects.for_organization(actor.organization).filter(view=row)
        defaults.exclude(user=user).delete()
    return open_view(actor=actor, public_id=public_id)


def delete_view(*, actor: Actor, public_id: str) -> None:
    """Delete a view of one's own, for all with whom it is shared. Raises NotFound."""
    _, row = _own(actor, public_id)
    row.delete()


def set_default(*, actor: Actor, list_name: str, public_id: str | None) -> None:
    """Let a list open with a view; with everything, where none is named. Raises NotFound."""
    user = _person(actor)
    own = _defaults(actor, user).filter(list_name=list_name)
    if public_id is None:
        own.delete()
        return
    view = _readable(actor, user).filter(public_id=public_id, list_name=list_name).first()
    if view is None:
        raise NotFound
    DefaultView.objects.update_or_create(
        organization=actor.organization, user=user, list_name=list_name, defaults={"view": view}
    )


def _person(actor: Actor) -> User:
    actor.require(Right.READ)
    if actor.user is None:
        raise NotFound
    return actor.user


def _readable(actor: Actor, user: User) -> QuerySet[SavedView]:
    own = SavedView.objects.for_organization(actor.organization)
    return own.filter(Q(user=user) | Q(is_shared=True))


def _defaults(actor: Actor, user: User) -> QuerySet[DefaultView]:
    return DefaultView.objects.for_organization(actor.organization).filter(user=user)


def _own(actor: Actor, public_id: str) -> tuple[User, SavedView]:
    user = _person(actor)
    row = _readable(actor, user).filter(user=user, public_id=public_id).first()
    if row is None:
        raise NotFound
    return user, row


def _named(name: str) -> str:
    name = " ".join(storable(name).split())
    if not name or len(name) > 80:
        raise ViewNameMissing
    return name


def _written(query: str) -> str:
    """Return a query as addresses are written: whoever opens the view is led to it.

    Raises ViewTooLong: a filter less would keep another list than the one that was seen.
    """
    found = urlencode(parse_qsl(storable(query)))
    if len(found) > MOST_LETTERS:
        raise ViewTooLong
    return found


def _save(row: SavedView) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise ViewNameTaken from error


def _value(row: SavedView, user: User, *, is_default: bool) -> ViewValue:
    return ViewValue(
        public_id=row.public_id,
        list_name=row.list_name,
        name=row.name,
        query=row.query,
        is_shared=row.is_shared,
        is_own=row.user_id == user.pk,
        is_default=is_default,
        owner=row.user.get_full_name() or row.user.get_username(),
    )
