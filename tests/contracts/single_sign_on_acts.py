"""One request for each form of single sign-on: what a valid one looks like."""

from apps.tenancy.models import Membership, ProviderIdentity
from apps.tenancy.scope import organization_scope
from tests.cast import identity_provider, make
from tests.cast.saml_provider import SamlProvider
from tests.contracts.acts import PAGE, Act
from tests.contracts.world import World

TAB = f"{PAGE}settings/single-sign-on/"
FORM = {
    "issuer": "https://login.example",
    "client_id": "faultline",
    "secret": "a secret of the tests",
    "role_without_group": "viewer",
    "group_claim": "groups",
}
SAML_FORM = {
    "metadata": SamlProvider(issuer="https://login.example/saml").metadata(),
    "role_without_group": "viewer",
    "group_claim": "groups",
    "is_enabled": "1",
}


def _provider(world: World) -> None:
    identity_provider.provider(
        organization=world.cast.operator, issuer="https://login.example", networks=[]
    )


def _barred(world: World) -> None:
    operator = world.cast.operator
    person = make.user(organization=operator, name="barred")
    with organization_scope(operator.pk):
        ProviderIdentity.objects.create(
            organization=operator,
            issuer="https://login.example",
            subject="barred",
            user=person,
            connected_at=make.AT,
            barred_at=make.AT,
        )


def _all_connected(world: World) -> None:
    operator = world.cast.operator
    with organization_scope(operator.pk):
        for each in Membership.objects.for_organization(operator):
            ProviderIdentity.objects.create(
                organization=operator,
                issuer="https://login.example",
                subject=f"subject {each.user_id}",
                user_id=each.user_id,
                connected_at=make.AT,
            )


SINGLE_SIGN_ON_FORMS = (
    Act(method="post", pattern=TAB, who="operator", body=FORM),
    Act(method="post", pattern=f"{TAB}saml/", who="operator", body=SAML_FORM),
    Act(method="post", pattern=f"{TAB}remove/", who="operator", prepare=_provider),
    Act(method="post", pattern=f"{TAB}domains/", who="operator", body={"domain": "other.example"}),
    Act(
        method="post",
        pattern=f"{TAB}domains/remove/",
        who="operator",
        prepare=_provider,
        body={"domain": "aurora.example"},
    ),
    Act(
        method="post",
        pattern=f"{PAGE}settings/account/disconnect/",
        who="operator",
        prepare=_all_connected,
    ),
    Act(
        method="post",
        pattern=f"{TAB}let-in/",
        who="operator",
        prepare=_barred,
        body={"username": "barred"},
    ),
)
