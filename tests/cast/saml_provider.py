"""A SAML provider of the tests: signs with its own key, and can be told to say something else."""

import base64
import secrets
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape, quoteattr

import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from lxml import etree

P = "urn:oasis:names:tc:SAML:2.0:protocol"
A = "urn:oasis:names:tc:SAML:2.0:assertion"
DS = "http://www.w3.org/2000/09/xmldsig#"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
ALICE = {"email": ["alice@aurora.example"], "displayName": ["Alice Kim"]}
Change = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a browser brings from the portal."""

    id: str
    receiver: str
    audience: str


@dataclass(slots=True, kw_only=True)
class Told:
    """What an answer says. The defaults are right."""

    subject: str = "alice-7"
    subject_format: str = PERSISTENT
    attributes: dict[str, list[str]] = field(default_factory=lambda: dict(ALICE))
    audience: str | None = ""  # empty: the portal
    recipient: str = ""
    destination: str = ""
    in_response_to: str | None = ""
    issuer: str = ""
    begins: timedelta = timedelta(minutes=-1)
    lasts: timedelta = timedelta(minutes=5)
    id: str = ""


class SamlProvider:
    """Signs people in by SAML."""

    def __init__(self, *, issuer: str, sign_in_url: str = "") -> None:
        self.issuer = issuer
        self.sign_in_url = sign_in_url or f"{issuer}/sso"
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.certificate = self_signed(self.key)

    def metadata(self) -> str:
        """Return what it publishes of itself."""
        octets = self.certificate.public_bytes(serialization.Encoding.DER)
        return f"""<?xml version="1.0" encoding="UTF-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID={quoteattr(self.issuer)}>
  <IDPSSODescriptor protocolSupportEnumeration="{P}">
    <KeyDescriptor use="signing"><KeyInfo xmlns="{DS}"><X509Data><X509Certificate>
      {base64.b64encode(octets).decode()}
    </X509Certificate></X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
      Location={quoteattr(self.sign_in_url + "/post")}/>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
      Location={quoteattr(self.sign_in_url)}/>
  </IDPSSODescriptor>
</EntityDescriptor>"""

    def answer(
        self, asked: Request, *, told: Told | None = None, before: Change | None = None
    ) -> Any:
        """Return a signed answer. `before` changes it before it is signed."""
        root = etree.fromstring(document(self, asked, told or Told()))
        if before is not None:
            before(root)
        sign(root, root.find(f"{{{A}}}Assertion"), self.key)
        return root


def encoded(root: Any) -> str:
    """Return an answer as a browser carries it."""
    return base64.b64encode(etree.tostring(root)).decode()


def request_of(target: str) -> Request:
    """Read what the portal asks for."""
    query = parse_qs(urlsplit(target).query)
    octets = zlib.decompress(base64.b64decode(query["SAMLRequest"][0]), -15)
    root = etree.fromstring(octets)
    return Request(
        id=root.get("ID"),
        receiver=root.get("AssertionConsumerServiceURL"),
        audience=root.findtext(f"{{{A}}}Issuer"),
    )


def self_signed(key: rsa.RSAPrivateKey) -> x509.Certificate:
    """Return a certificate of a key, as providers make them."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "provider of the tests")])
    begins = datetime(2026, 1, 1, tzinfo=UTC)
    made = x509.CertificateBuilder(subject_name=name, issuer_name=name)
    made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
    made = made.not_valid_before(begins).not_valid_after(begins + timedelta(days=3650))
    return made.sign(key, hashes.SHA256())


def sign(root: Any, element: Any, key: rsa.RSAPrivateKey, **other: Any) -> None:
    """Sign one element, its signature within it, after its issuer."""
    method = other.get("method", xmlsec.Transform.RSA_SHA256)
    signature = xmlsec.template.create(element, xmlsec.Transform.EXCL_C14N, method, ns="ds")
    element.insert(1, signature)
    reference = xmlsec.template.add_reference(
        signature, other.get("digest", xmlsec.Transform.SHA256), uri=f"#{element.get('ID')}"
    )
    xmlsec.template.add_transform(reference, xmlsec.Transform.ENVELOPED)
    xmlsec.template.add_transform(reference, xmlsec.Transform.EXCL_C14N)
    xmlsec.tree.add_ids(root, ["ID"])
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    context = xmlsec.SignatureContext()
    context.key = xmlsec.Key.from_memory(pem, xmlsec.KeyFormat.PEM, None)
    context.sign(signature)


def document(provider: SamlProvider, asked: Request, told: Told) -> bytes:
    """Return an answer before it is signed."""
    now = datetime.now(UTC)  # noqa: TID251  what is signed is of now
    issuer = escape(told.issuer or provider.issuer)
    answers = asked.id if told.in_response_to == "" else told.in_response_to
    answering = f" InResponseTo={quoteattr(answers)}" if answers else ""
    audience = asked.audience if told.audience == "" else told.audience
    meant = (
        f"<AudienceRestriction><Audience>{escape(audience)}</Audience></AudienceRestriction>"
        if audience
        else ""
    )
    ends = quoteattr(_text(now + told.lasts))
    statement = "".join(
        f"<Attribute Name={quoteattr(name)}>"
        + "".join(f"<AttributeValue>{escape(each)}</AttributeValue>" for each in values)
        + "</Attribute>"
        for name, values in told.attributes.items()
    )
    return f"""<p:Response xmlns:p="{P}" ID="_{secrets.token_hex(16)}" Version="2.0"
 IssueInstant="{_text(now)}" Destination={quoteattr(told.destination or asked.receiver)}{answering}>
<Issuer xmlns="{A}">{issuer}</Issuer>
<p:Status><p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></p:Status>
<Assertion xmlns="{A}" ID="{told.id or "_" + secrets.token_hex(16)}" Version="2.0"
 IssueInstant="{_text(now)}"><Issuer>{issuer}</Issuer>
<Subject><NameID Format="{told.subject_format}">{escape(told.subject)}</NameID>
<SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
<SubjectConfirmationData NotOnOrAfter={ends}{answering}
 Recipient={quoteattr(told.recipient or asked.receiver)}/></SubjectConfirmation></Subject>
<Conditions NotBefore="{_text(now + told.begins)}" NotOnOrAfter={ends}>{meant}</Conditions>
<AuthnStatement AuthnInstant="{_text(now)}" SessionIndex="_s1"><AuthnContext>
<AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</AuthnContextClassRef>
</AuthnContext></AuthnStatement>
<AttributeStatement>{statement}</AttributeStatement></Assertion></p:Response>""".encode()


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
