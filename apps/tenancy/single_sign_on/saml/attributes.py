"""What an assertion says of a person, under the names that OpenID Connect has for it."""

from collections.abc import Mapping
from typing import Any, Final

from apps.tenancy.single_sign_on.provider_lookup import SignInProvider
from apps.tenancy.single_sign_on.saml.strict_xml import NAMES, Unreadable

SUBJECT_LIMIT: Final = 255
VALUES_AT_MOST: Final = 2000
NAME_ID: Final = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
TRANSIENT: Final = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
CLAIMS: Final = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
# As Entra ID, Okta, Google, Keycloak, Authentik, Shibboleth and AD FS name them.
EMAIL: Final = (f"{CLAIMS}emailaddress", "urn:oid:0.9.2342.19200300.100.1.3", "email", "mail")
VERIFIED: Final = ("email_verified", "http://schemas.auth0.com/email_verified")
NAME: Final = (
    "http://schemas.microsoft.com/identity/claims/displayname",
    *("urn:oid:2.16.840.1.113730.3.1.241", "displayName", "name", f"{CLAIMS}name"),
)
# Entra ID gives an address in place of more than 150 groups.
TOO_MANY: Final = "http://schemas.microsoft.com/claims/groups.link"


def claims_of(*, assertion: Any, found: SignInProvider) -> dict[str, Any]:
    """Return the claims of a checked assertion; raise Unreadable for nobody in particular."""
    attributes = _attributes(assertion)
    name_id = _name_id(assertion)
    claims: dict[str, Any] = {"sub": _text(name_id)}
    emails = _first(attributes, EMAIL)
    if not emails and name_id.get("Format") == NAME_ID:
        emails = [claims["sub"]]
    if len(emails) == 1:
        claims["email"] = emails[0]
    verified = _first(attributes, VERIFIED)
    if verified:
        claims["email_verified"] = verified == ["true"]
    names = _first(attributes, NAME)
    if names:
        claims["name"] = names[0]
    if TOO_MANY in attributes:
        claims["_claim_names"] = {found.group_claim: TOO_MANY}
    return claims | {found.group_claim: attributes.get(found.group_claim, [])}


def _name_id(assertion: Any) -> Any:
    found = assertion.findall("a:Subject/a:NameID", NAMES)
    # A transient one is another each time: everybody would be somebody new at each sign-in.
    if len(found) != 1 or found[0].get("Format") == TRANSIENT:
        raise Unreadable("no name that lasts")
    subject = _text(found[0])
    if not 0 < len(subject) <= SUBJECT_LIMIT or not subject.isprintable():
        raise Unreadable("a name that can't be kept")
    return found[0]


def _attributes(assertion: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    values = assertion.findall("a:AttributeStatement/a:Attribute/a:AttributeValue", NAMES)
    if len(values) > VALUES_AT_MOST:
        raise Unreadable("too many values")
    for each in values:
        # One that holds elements is no text: a part of it would mean something else.
        if not len(each):
            found.setdefault(each.getparent().get("Name", ""), []).append(_text(each))
    return found


def _first(attributes: Mapping[str, list[str]], names: tuple[str, ...]) -> list[str]:
    return next((attributes[name] for name in names if name in attributes), [])


def _text(element: Any) -> str:
    if len(element):
        raise Unreadable("text with elements in it")
    return (element.text or "").strip()
