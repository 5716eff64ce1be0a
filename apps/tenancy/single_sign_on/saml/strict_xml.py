"""XML from outside, read only where it is as plain as providers write it.

Signatures are of one element, and readers look for elements by name: whatever could make the two
mean different things (a second assertion, an ID twice, a comment within a name) is refused before
anybody asks for the signature.
"""

import re
from typing import Any, Final

from lxml import etree

MOST_BYTES: Final = 256 * 1024
MOST_ELEMENTS: Final = 5000
PROTOCOL: Final = "urn:oasis:names:tc:SAML:2.0:protocol"
ASSERTION: Final = "urn:oasis:names:tc:SAML:2.0:assertion"
SIGNATURE: Final = "http://www.w3.org/2000/09/xmldsig#"
NAMES: Final = {"p": PROTOCOL, "a": ASSERTION, "ds": SIGNATURE}
# A declaration of XML alone, in the encoding that its bytes are read in here.
DECLARATION: Final = re.compile(
    r"""\s*<\?xml version=["']1\.0["'](?: encoding=["'](?i:utf-8)["'])?"""
    r"""(?: standalone=["']\w+["'])?\s*\?>"""
)
ENVELOPED: Final = f"{SIGNATURE}enveloped-signature"
EXCLUSIVE: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
MORE: Final = "http://www.w3.org/2001/04/xmldsig-more#"
METHODS: Final = frozenset(
    f"{MORE}{kind}-sha{size}" for kind in ("rsa", "ecdsa") for size in (256, 384, 512)
)
DIGESTS: Final = frozenset(
    {
        "http://www.w3.org/2001/04/xmlenc#sha256",
        f"{MORE}sha384",
        "http://www.w3.org/2001/04/xmlenc#sha512",
    }
)


class Unreadable(ValueError):
    """What came is no XML that is read here. The text is for the log alone."""


def parse(data: bytes) -> Any:
    """Return the root of a document without doctype, entities, comments; raise Unreadable."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    if len(data) > MOST_BYTES:
        raise Unreadable("too long")
    declared = DECLARATION.match(text)
    body = text[declared.end() :] if declared else text
    # A doctype, a comment and CDATA begin so, and so does nothing that is needed.
    if "<!" in body or "<?" in body or "\x00" in body:
        raise Unreadable("more than elements and text")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(data.strip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        raise Unreadable("no XML") from None
    if sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise Unreadable("too many elements")
    return root


def the_assertion(root: Any) -> Any:
    """Return the one assertion of an answer, which alone is signed; raise Unreadable.

    That its signature is right, python3-saml says.
    """
    if root.tag != f"{{{PROTOCOL}}}Response" or _count(root, "Response") != 1:
        raise Unreadable("no answer, or several")
    found = root.findall(f"{{{ASSERTION}}}Assertion")
    if len(found) != 1 or _count(root, "Assertion") != 1:
        raise Unreadable("not one assertion")
    if _count(root, "EncryptedAssertion") or _count(root, "EncryptedID"):
        raise Unreadable("encrypted")
    _check_ids(root)
    signatures = list(root.iter(f"{{{SIGNATURE}}}Signature"))
    parents = [each.getparent() for each in signatures]
    if _count(root, "Signature") != len(signatures) or len({id(each) for each in parents}) != len(
        parents
    ):
        raise Unreadable("signatures that can be mixed up")
    if not any(each is found[0] for each in parents):
        raise Unreadable("assertion not signed")
    for signature, parent in zip(signatures, parents, strict=True):
        if parent is not root and parent is not found[0]:
            raise Unreadable("signature elsewhere")
        _check_signature(signature, parent)
    return found[0]


def _count(root: Any, name: str) -> int:
    """Count elements of a local name, whatever their namespace and their place."""
    return sum(1 for each in root.iter() if etree.QName(each).localname == name)


def _check_ids(root: Any) -> None:
    ids = [
        value
        for each in root.iter()
        for name, value in each.attrib.items()
        if etree.QName(name).localname.lower() == "id"
    ]
    if len(set(ids)) != len(ids):
        raise Unreadable("an ID twice")


def _check_signature(signature: Any, parent: Any) -> None:
    """Refuse a signature of anything but all of the element in which it stands."""
    references = list(signature.iter(f"{{{SIGNATURE}}}Reference"))
    uri = f"#{parent.get('ID')}"
    if len(references) != 1 or references[0].get("URI") != uri or not parent.get("ID"):
        raise Unreadable("a signature of something else")
    if _count(signature, "Object") or _count(signature, "SignedInfo") != 1:
        raise Unreadable("a signature that holds more")
    transforms = _algorithms(signature, "Transform")
    if not transforms or not set(transforms) <= {ENVELOPED, EXCLUSIVE}:
        raise Unreadable("transforms")
    is_known = set(_algorithms(signature, "SignatureMethod")) <= METHODS
    if not is_known or not set(_algorithms(signature, "DigestMethod")) <= DIGESTS:
        raise Unreadable("an algorithm that is refused")


def _algorithms(signature: Any, name: str) -> list[str]:
    return [each.get("Algorithm") for each in signature.iter(f"{{{SIGNATURE}}}{name}")]
