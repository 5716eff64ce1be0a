"""python3-saml, as allauth's extra for SAML brings it: whether it is here, and set for a provider.

It is an optional part: `lxml` and `xmlsec` have to bring the same libxml2, and few need them.
"""

import re
from functools import cache
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from apps.tenancy.single_sign_on.provider_lookup import SignInProvider

RECEIVER: Final = "web:saml_answer"
METADATA: Final = "web:saml_metadata"
REDIRECT: Final = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
POST: Final = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----")


class SamlMissing(Exception):
    """The libraries for SAML are not installed, or don't fit together."""


@cache
def is_installed() -> bool:
    """Say whether the libraries are here and load together."""
    try:
        # Both bring a libxml2; xmlsec refuses to load beside another one.
        import_module("xmlsec")
        import_module("onelogin.saml2.auth")
    except Exception:  # noqa: BLE001  a library that can't be loaded may fail in any way
        return False
    return True


def require() -> None:
    """Raise SamlMissing where it can't be spoken."""
    if not is_installed():
        raise SamlMissing


def entity_id(*, code: str) -> str:
    """Return who the portal is for a provider: the address of its metadata."""
    return settings.PORTAL_BASE_URL + reverse(METADATA, args=[code])


def receiver_url(*, code: str) -> str:
    """Return where a provider sends its answers."""
    return settings.PORTAL_BASE_URL + reverse(RECEIVER, args=[code])


def portal_values(*, code: str) -> dict[str, Any]:
    """Return what python3-saml has to know of the portal."""
    return {
        "entityId": entity_id(code=code),
        "assertionConsumerService": {"url": receiver_url(code=code), "binding": POST},
    }


def saml_values(*, found: SignInProvider) -> dict[str, Any]:
    """Return python3-saml's settings for one provider."""
    return {
        "strict": True,
        "debug": False,
        "sp": portal_values(code=found.code),
        "idp": {
            "entityId": found.issuer,
            "singleSignOnService": {"url": found.sign_in_url, "binding": REDIRECT},
            "x509certMulti": {"signing": _certificates(found)},
        },
        "security": {
            "wantAssertionsSigned": True,
            "wantAttributeStatement": False,
            "wantNameId": True,
            "requestedAuthnContext": False,
            "rejectDeprecatedAlgorithm": True,
            "allowRepeatAttributeName": True,
            "allowSingleLabelDomains": True,
        },
    }


def _certificates(found: SignInProvider) -> list[str]:
    return ["".join(each.split()) for each in CERTIFICATE.findall(found.certificates)]


def receiving_request(*, code: str) -> dict[str, Any]:
    """Return the request as it reached the portal, whatever name it came by."""
    parts = urlsplit(receiver_url(code=code))
    return {
        "https": "on" if parts.scheme == "https" else "off",
        "http_host": parts.netloc,
        "script_name": parts.path,
        "get_data": {},
        "post_data": {},
    }
