"""SAML answers: signed by the provider, for this portal, for one sign-in that began here, once."""

import base64
import binascii
import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.utils.dateparse import parse_datetime
from onelogin.saml2.errors import OneLogin_Saml2_Error, OneLogin_Saml2_ValidationError
from onelogin.saml2.response import OneLogin_Saml2_Response
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider
from apps.tenancy.single_sign_on.saml import strict_xml, toolkit
from apps.tenancy.single_sign_on.saml.attributes import claims_of
from apps.tenancy.single_sign_on.saml.strict_xml import NAMES, Unreadable

logger = logging.getLogger(__name__)
LEEWAY: Final = timedelta(seconds=60)  # between two clocks
LONGEST: Final = timedelta(hours=1)  # an answer that is good for longer counts as good for this
BEARER: Final = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
ID_LIMIT: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """What an answer vouches for, and which sign-in it answers, by the signed part of it."""

    request_id: str
    claims: dict[str, Any]


def check(*, found: SignInProvider, encoded: str, now: datetime) -> CheckedAnswer:
    """Return what an answer vouches for; raise ProviderFailed for one that proves nothing here.

    It counts once: the second time it is refused, in whatever browser.
    """
    data, root, assertion = _read(encoded)
    _check_signed(found, data)
    try:
        ends_at = _check_conditions(found, assertion, now)
        request_id = _check_subject(found, assertion, now)
        _check_names(found, root, assertion)
        claims = claims_of(assertion=assertion, found=found)
    except Unreadable as error:
        _log(error)
        raise ProviderFailed("bad-assertion") from None
    _count_once(found, assertion, ends_at=min(ends_at, now + LONGEST), now=now)
    return CheckedAnswer(request_id=request_id, claims=claims)


def _read(encoded: str) -> tuple[bytes, Any, Any]:
    """Return an answer's bytes, its root and its assertion; raise ProviderFailed."""
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True).strip()
        root = strict_xml.parse(data)
        if root.find("p:Status/p:StatusCode", NAMES) is not None:
            _check_status(root)
        return data, root, strict_xml.the_assertion(root)
    except (Unreadable, binascii.Error, ValueError) as error:
        _log(error)
        raise ProviderFailed("bad-assertion") from None


def _check_status(root: Any) -> None:
    # Whoever breaks off at the provider comes back without an assertion.
    status = root.find("p:Status/p:StatusCode", NAMES).get("Value", "")
    if not status.endswith(":Success") and root.find("a:Assertion", NAMES) is None:
        raise ProviderFailed("cancelled")


def _check_signed(found: SignInProvider, data: bytes) -> None:
    """Let python3-saml check signature, schema, times and names; raise ProviderFailed.

    It reads the same bytes: the one assertion in them is the one that is signed.
    """
    try:
        settings = OneLogin_Saml2_Settings(toolkit.saml_values(found=found))
        answer = OneLogin_Saml2_Response(settings, base64.b64encode(data).decode())
        request = toolkit.receiving_request(code=found.code)
        answer.is_valid(request, raise_exceptions=True)
    except (OneLogin_Saml2_ValidationError, OneLogin_Saml2_Error, ValueError, TypeError) as error:
        _log(error)
        raise ProviderFailed("bad-assertion") from None


def _check_conditions(found: SignInProvider, assertion: Any, now: datetime) -> datetime:
    """Return when an assertion ends; raise Unreadable unless it is of now and for the portal."""
    conditions = _one(assertion.findall("a:Conditions", NAMES))
    begins_at, ends_at = conditions.get("NotBefore"), _moment(conditions.get("NotOnOrAfter"))
    if begins_at is not None and _moment(begins_at) > now + LEEWAY:
        raise Unreadable("not yet")
    if ends_at <= now - LEEWAY:
        raise Unreadable("not any more")
    meant = conditions.findall("a:AudienceRestriction", NAMES)
    own = toolkit.entity_id(code=found.code)
    # Each restriction has to name it: they hold together.
    if not meant or not all(own in _texts(each.findall("a:Audience", NAMES)) for each in meant):
        raise Unreadable("for somebody else")
    return ends_at


def _check_subject(found: SignInProvider, assertion: Any, now: datetime) -> str:
    """Return which request is answered, as the signed part says; raise Unreadable."""
    receiver = toolkit.receiver_url(code=found.code)
    for each in assertion.findall("a:Subject/a:SubjectConfirmation", NAMES):
        data = each.find("a:SubjectConfirmationData", NAMES)
        if each.get("Method") != BEARER or data is None or data.get("Recipient") != receiver:
            continue
        request_id = data.get("InResponseTo", "")
        if not 0 < len(request_id) <= ID_LIMIT:
            raise ProviderFailed("unsolicited")
        if _moment(data.get("NotOnOrAfter")) > now - LEEWAY:
            return str(request_id)
    raise Unreadable("nobody confirmed for this address")


def _check_names(found: SignInProvider, root: Any, assertion: Any) -> None:
    """Raise Unreadable where an answer says other names outside its signed part, or none."""
    issuers = _texts([*root.findall("a:Issuer", NAMES), _one(assertion.findall("a:Issuer", NAMES))])
    if set(issuers) != {found.issuer}:
        raise Unreadable("another issuer")
    receiver = toolkit.receiver_url(code=found.code)
    if root.get("Destination", receiver) != receiver:
        raise Unreadable("sent elsewhere")


def _count_once(found: SignInProvider, assertion: Any, *, ends_at: datetime, now: datetime) -> None:
    name = f"{found.issuer} {assertion.get('ID')}"
    key = f"saml:seen:{found.organization.pk}:{hashlib.sha256(name.encode()).hexdigest()}"
    seconds = int((ends_at + 2 * LEEWAY - now).total_seconds()) + 1
    if not cache.add(key, 1, timeout=seconds):
        raise ProviderFailed("replayed")


def _moment(text: str | None) -> datetime:
    try:
        moment = parse_datetime(text or "")
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Unreadable("no moment")
    return moment


def _one(found: list[Any]) -> Any:
    if len(found) != 1:
        raise Unreadable("not one")
    return found[0]


def _texts(elements: Iterable[Any]) -> list[str]:
    return [(each.text or "").strip() for each in elements]


def _log(error: Exception) -> None:
    # The kind and words of ours: an answer may hold what nobody is to read in a log.
    why = str(error) if isinstance(error, Unreadable) else type(error).__name__
    code = getattr(error, "code", None)
    logger.info("saml.refused", extra={"why": why, "times": code if isinstance(code, int) else 0})
