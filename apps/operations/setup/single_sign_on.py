"""An organization's provider and domains in a description: read, and made where they are not."""

from collections.abc import Sequence
from pathlib import Path

from apps.operations.setup.parties import SingleSignOnWanted
from apps.operations.setup.setup_run import SetupRun
from apps.operations.setup.yaml_nodes import Spot, YamlReader
from apps.tenancy.credentials import unseal
from apps.tenancy.models import IdentityProvider, MemberRole, Organization
from apps.tenancy.single_sign_on import mail_domains
from apps.tenancy.single_sign_on.mail_domains import DomainTaken
from apps.tenancy.single_sign_on.provider_settings import (
    USUAL_CLAIM,
    BadProvider,
    WantedProvider,
    checked,
    set_provider,
)

KNOWN = (
    *("issuer", "client_id", "client_secret", "client_secret_file", "scopes", "group_claim"),
    *("groups", "without_group", "networks", "domains", "enabled", "vouches_for_addresses"),
)
SAID = {"secret": "client_secret", "role_without_group": "without_group"}


def read_single_sign_on(reader: YamlReader, spot: Spot | None) -> SingleSignOnWanted | None:
    """Return what a description wants; its faults go to the reader."""
    if spot is None:
        return None
    values = reader.mapping(spot, known=KNOWN, needed=("issuer", "client_id"))
    groups = reader.pairs(values["groups"]) if "groups" in values else {}
    roles = {
        group: reader.choice(each, what="role", among=MemberRole.values)
        for group, each in groups.items()
    }
    lowest = values.get("without_group")
    provider = WantedProvider(
        issuer=reader.text(values.get("issuer")),
        client_id=reader.text(values.get("client_id")),
        secret=_secret(reader, values.get("client_secret"), values.get("client_secret_file")),
        scopes=reader.text(values.get("scopes")),
        group_claim=reader.text(values.get("group_claim")) or USUAL_CLAIM,
        role_by_group=roles,
        role_without_group=reader.choice(lowest, what="role", among=MemberRole.values)
        if lowest
        else "",
        networks=[reader.text(each, most=50) for each in reader.items(values.get("networks"))],
        vouches_for_addresses=reader.flag(values.get("vouches_for_addresses")) is True,
        is_enabled=reader.flag(values.get("enabled")) is not False,
    )
    domains = [_domain(reader, each) for each in reader.items(values.get("domains"))]
    return SingleSignOnWanted(provider=provider, domains=[each for each in domains if each])


def fill_single_sign_on(
    run: SetupRun, *, organization: Organization, wanted: SingleSignOnWanted
) -> str:
    """Make or change it; return what is wrong with it, or nothing. Needs the scope."""
    former = IdentityProvider.objects.for_organization(organization).first()
    try:
        values = checked(wanted=wanted.provider, former=former)
    except BadProvider as error:
        return f"{SAID.get(error.field, error.field)}: {error}"
    is_kept = former is not None and bool(former.secret)  # SAML has none
    if former is not None and is_kept and unseal(sealed=former.secret) == wanted.provider.secret:
        del values["secret"]  # sealed anew it would look like another one
    if any(getattr(former, name, None) != value for name, value in values.items()):
        is_new = set_provider(organization=organization, values=values, now=run.now)
        tell = run.made if is_new else run.changed
        tell(f"{organization.slug}: people sign in through {wanted.provider.issuer}")
        act = "identity_provider.made" if is_new else "identity_provider.changed"
        run.note(organization, act, "")
    problem = _confirm(run, organization, wanted.domains)
    return problem or _check_vouching(organization, wanted.provider)


def _check_vouching(organization: Organization, wanted: WantedProvider) -> str:
    """Return what is wrong with who answers for addresses, or nothing. Needs the scope."""
    try:
        mail_domains.check_vouching(
            organization=organization, is_wanted=wanted.vouches_for_addresses
        )
    except BadProvider as error:
        return f"vouches_for_addresses: {error}"
    return ""


def _domain(reader: YamlReader, spot: Spot) -> str:
    text = reader.text(spot)
    return reader.checked(spot, lambda: mail_domains.checked_domain(text=text)) or ""


def _confirm(run: SetupRun, organization: Organization, domains: Sequence[str]) -> str:
    for domain in domains:
        try:
            is_new = mail_domains.confirm(organization=organization, domain=domain, now=run.now)
        except DomainTaken as error:
            return f"domains: {domain} is confirmed for {error.slug}; it has to remove it first"
        if is_new:
            run.made(f"{organization.slug}: mail domain {domain}")
    return ""


def _secret(reader: YamlReader, given: Spot | None, file: Spot | None) -> str:
    if file is None:
        return reader.text(given)
    if given is not None:
        reader.fault(file, "name the secret or its file, not both")
    try:
        return Path(reader.text(file)).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        reader.fault(file, "can't be read")
        return ""
