"""The addresses of the settings."""

from typing import Final

from django.urls import URLPattern, path

from apps.web.settings import view as settings
from apps.web.settings.account import address_view
from apps.web.settings.account import view as account
from apps.web.settings.audit import view as audit
from apps.web.settings.clusters import participation_view
from apps.web.settings.clusters import view as clusters
from apps.web.settings.costs import view as costs
from apps.web.settings.members import factor_view
from apps.web.settings.members import view as members
from apps.web.settings.notifications import delivery_view
from apps.web.settings.notifications import view as notifications
from apps.web.settings.retention import view as retention
from apps.web.settings.single_sign_on import saml_view as saml_settings_view
from apps.web.settings.single_sign_on import view as single_sign_on
from apps.web.settings.tokens import view as tokens

ADDRESSES: Final[list[URLPattern]] = [
    path("o/<slug:org>/settings/", settings.settings, name="settings"),
    path("o/<slug:org>/settings/members/", members.members, name="members"),
    path(
        "o/<slug:org>/settings/second-factor/",
        factor_view.change,
        name="require_second_factor",
    ),
    path("o/<slug:org>/settings/invitations/", members.invite, name="invite"),
    path(
        "o/<slug:org>/settings/invitations/<str:public_id>/revoke/",
        members.uninvite,
        name="uninvite",
    ),
    path(
        "o/<slug:org>/settings/members/<str:username>/role/",
        members.set_role,
        name="member_role",
    ),
    path(
        "o/<slug:org>/settings/members/<str:username>/remove/",
        members.remove,
        name="remove_member",
    ),
    path("o/<slug:org>/settings/clusters/", clusters.clusters, name="clusters"),
    path(
        "o/<slug:org>/settings/clusters/<slug:cluster>/projects/",
        clusters.projects,
        name="projects",
    ),
    path(
        "o/<slug:org>/settings/clusters/<slug:cluster>/proposals/",
        participation_view.proposals,
        name="proposals",
    ),
    path(
        "o/<slug:org>/settings/clusters/<slug:cluster>/hosts-agreement/",
        participation_view.hosts_agreement,
        name="hosts_agreement",
    ),
    path(
        "o/<slug:org>/settings/clusters/<slug:cluster>/parts/<str:part>/leave/",
        participation_view.leave_part,
        name="leave_part",
    ),
    path(
        "o/<slug:org>/settings/proposals/<str:public_id>/<str:act>/",
        participation_view.answer,
        name="answer_proposal",
    ),
    path("o/<slug:org>/settings/clusters/<slug:cluster>/hosts/", clusters.hosts, name="hosts"),
    path("o/<slug:org>/settings/audit/", audit.audit, name="audit"),
    path("o/<slug:org>/settings/account/", account.account, name="account"),
    path("o/<slug:org>/settings/account/address/", address_view.ask, name="ask_address"),
    path(
        "o/<slug:org>/settings/account/disconnect/",
        account.disconnect,
        name="disconnect_account",
    ),
    path("o/<slug:org>/settings/account/password/", account.password, name="password"),
    path(
        "o/<slug:org>/settings/single-sign-on/",
        single_sign_on.single_sign_on,
        name="single_sign_on",
    ),
    path("o/<slug:org>/settings/single-sign-on/saml/", saml_settings_view.saml, name="saml"),
    path(
        "o/<slug:org>/settings/single-sign-on/remove/",
        single_sign_on.remove,
        name="remove_provider",
    ),
    path(
        "o/<slug:org>/settings/single-sign-on/domains/",
        single_sign_on.ask_domain,
        name="ask_domain",
    ),
    path(
        "o/<slug:org>/settings/single-sign-on/domains/remove/",
        single_sign_on.remove_domain,
        name="remove_domain",
    ),
    path(
        "o/<slug:org>/settings/single-sign-on/let-in/",
        single_sign_on.let_in_again,
        name="let_in_again",
    ),
    path("o/<slug:org>/settings/tokens/", tokens.tokens, name="tokens"),
    path("o/<slug:org>/settings/tokens/<str:prefix>/revoke/", tokens.end, name="end_token"),
    path("o/<slug:org>/settings/notifications/", notifications.notifications, name="notifications"),
    path("o/<slug:org>/settings/notifications/test/", delivery_view.send_test, name="send_test"),
    path(
        "o/<slug:org>/settings/notifications/again/",
        delivery_view.resend_failed,
        name="resend_failed",
    ),
    path("o/<slug:org>/settings/notifications/webhook/", notifications.webhook, name="webhook"),
    path(
        "o/<slug:org>/settings/notifications/webhook/<str:act>/",
        notifications.change_webhook,
        name="change_webhook",
    ),
    path(
        "o/<slug:org>/settings/notifications/deliveries/<str:public_id>/again/",
        delivery_view.resend_delivery,
        name="resend_delivery",
    ),
    path("o/<slug:org>/settings/costs/", costs.costs, name="costs"),
    path("o/<slug:org>/settings/retention/", retention.retention, name="retention"),
]
