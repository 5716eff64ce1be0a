"""Which of many browser sessions still belong to members of an organization, asked at once.

For streams, which outlive the request that opened them: the same questions as at the door
(`actor_for_user`), by a few queries for all of them.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from importlib import import_module
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils.crypto import constant_time_compare

from apps.diagnosis.input_values import whole_number
from apps.tenancy.access import RIGHTS_OF_ROLE, Actor
from apps.tenancy.models import MemberRole, Membership, Organization, User
from apps.tenancy.scope import organization_scope


def actors_of_sessions(
    *, keys: Collection[str], organization_id: int, now: datetime
) -> Mapping[str, Actor]:
    """Return session key → who may read for the organization; the others are not there."""
    told = _stored(keys, now)
    organization = Organization.objects.filter(pk=organization_id).first()
    if organization is None or not told:
        return {}
    ids = {int(each[SESSION_KEY]) for each in told.values()}
    users = {each.pk: each for each in User.objects.filter(pk__in=ids, is_active=True)}
    actors = _members(organization, users)
    return {
        key: actors[pk]
        for key, each in told.items()
        if (pk := int(each[SESSION_KEY])) in actors and _is_proven(each, users[pk])
    }


def _stored(keys: Collection[str], now: datetime) -> dict[str, dict[str, Any]]:
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    rows = Session.objects.filter(session_key__in=keys, expire_date__gt=now)
    decoded = {each.session_key: store.decode(each.session_data) for each in rows}
    return {
        key: each
        for key, each in decoded.items()
        if whole_number(each.get(SESSION_KEY)) is not None
        and each.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
    }


def _is_proven(told: Mapping[str, Any], user: User) -> bool:
    """Say whether the session began with what proves the person today."""
    proof = str(told.get(HASH_SESSION_KEY, ""))
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(proof, each) for each in hashes)


def _members(organization: Organization, users: Mapping[int, User]) -> dict[int, Actor]:
    with organization_scope(organization.pk):
        rows = Membership.objects.for_organization(organization).filter(user__in=users)
        roles = dict(rows.values_list("user_id", "role"))
    let_in = {*roles}
    if organization.requires_second_factor:
        factors = Authenticator.objects.filter(user__in=let_in)
        proven = factors.exclude(type=Authenticator.Type.RECOVERY_CODES)
        let_in &= {*proven.values_list("user_id", flat=True)}
    return {
        pk: Actor(
            organization=organization,
            rights=RIGHTS_OF_ROLE[MemberRole(roles[pk])],
            user=users[pk],
        )
        for pk in let_in
    }
