"""Metadata: what the portal publishes of itself, and what a provider publishes, read."""

import base64
import binascii
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from apps.tenancy.single_sign_on.saml import strict_xml, toolkit
from apps.tenancy.single_sign_on.saml.strict_xml import SIGNATURE, Unreadable

NAMESPACE: Final = "urn:oasis:names:tc:SAML:2.0:metadata"
NAMES: Final = {"m": NAMESPACE, "ds": SIGNATURE}
ISSUER_LIMIT: Final = 500
URL_LIMIT: Final = 1500  # the request is added to it
CERTIFICATES_AT_MOST: Final = 5
SHORTEST_RSA: Final = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedProvider:
    """What a provider publishes of itself."""

    issuer: str
    sign_in_url: str
    certificates: str  # PEM, one after the other


def own_metadata(*, code: str) -> bytes:
    """Return what an admin gives to the provider."""
    values = {"strict": True, "sp": toolkit.portal_values(code=code)}
    values["security"] = {"wantAssertionsSigned": True, "allowSingleLabelDomains": True}
    found = OneLogin_Saml2_Settings(values, sp_validation_only=True).get_sp_metadata()
    return found if isinstance(found, bytes) else str(found).encode()


def without_comments(data: bytes) -> bytes:
    """Return metadata without its comments: some write there what is theirs to do.

    One that does not end stays, and is refused with the rest. In time in proportion to its length.
    """
    kept, at = [], 0
    while (opened := data.find(b"<!--", at)) >= 0:
        closed = data.find(b"-->", opened + 4)
        if closed < 0:
            break
        kept.append(data[at:opened])
        at = closed + 3
    return b"".join([*kept, data[at:]])


def read_metadata(*, data: bytes) -> PublishedProvider:
    """Return the one provider that metadata tells of; raise Unreadable, its text for the log."""
    root = strict_xml.parse(without_comments(data))
    entities = [root] if root.tag == f"{{{NAMESPACE}}}EntityDescriptor" else _inner(root)
    if len(entities) != 1:
        raise Unreadable("not one provider")
    (entity,) = entities
    roles = entity.findall("m:IDPSSODescriptor", NAMES)
    issuer = entity.get("entityID", "")
    if len(roles) != 1 or not 0 < len(issuer) <= ISSUER_LIMIT or not issuer.isprintable():
        raise Unreadable("no provider")
    return PublishedProvider(
        issuer=issuer, sign_in_url=_sign_in_url(roles[0]), certificates=_certificates(roles[0])
    )


def _inner(root: Any) -> list[Any]:
    found = root.findall("m:EntityDescriptor", NAMES)
    return [each for each in found if each.find("m:IDPSSODescriptor", NAMES) is not None]


def _sign_in_url(role: Any) -> str:
    listed = role.findall("m:SingleSignOnService", NAMES)
    found = [each.get("Location", "") for each in listed if each.get("Binding") == toolkit.REDIRECT]
    if not found or len(found[0]) > URL_LIMIT or not found[0].isprintable():
        raise Unreadable("no address to sign in")
    parts = urlsplit(found[0])
    if parts.scheme not in {"https", "http"} or not parts.hostname or parts.fragment:
        raise Unreadable("no address to sign in")
    return str(found[0])


def _certificates(role: Any) -> str:
    found: list[str] = []
    for key in role.findall("m:KeyDescriptor", NAMES):
        if key.get("use") in {None, "signing"}:
            found += [_pem(each.text) for each in key.iter(f"{{{SIGNATURE}}}X509Certificate")]
    unique = list(dict.fromkeys(found))
    if not 0 < len(unique) <= CERTIFICATES_AT_MOST:
        raise Unreadable("no certificate, or many")
    return "".join(unique)


def _pem(text: str | None) -> str:
    """Return a certificate as it is kept; raise Unreadable for a key that is too weak."""
    try:
        octets = base64.b64decode("".join((text or "").split()))
        certificate = x509.load_der_x509_certificate(octets)
        key = certificate.public_key()
    except (ValueError, TypeError, binascii.Error):
        raise Unreadable("a certificate that can't be read") from None
    is_strong = isinstance(key, ec.EllipticCurvePublicKey)
    if isinstance(key, rsa.RSAPublicKey):
        is_strong = key.key_size >= SHORTEST_RSA
    if not is_strong:
        raise Unreadable("a weak key")
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
