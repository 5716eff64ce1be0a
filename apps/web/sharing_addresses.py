"""The addresses of what parties share: agreements, bundles, requests, the ledger, views as one."""

from typing import Final

from django.urls import URLPattern, path

from apps.web.bundles import view as bundles
from apps.web.evidence_requests import answer_view
from apps.web.evidence_requests import view as evidence_requests
from apps.web.sharing import ledger_view, proposal_view, sign_all_view, signing_keys_view
from apps.web.sharing import view as sharing
from apps.web.view_as import view as view_as

ADDRESSES: Final[list[URLPattern]] = [
    path("o/<slug:org>/sharing/", sharing.agreements, name="sharing"),
    path("o/<slug:org>/sharing/as/<slug:party>/incidents/", view_as.incidents, name="incidents_as"),
    path(
        "o/<slug:org>/sharing/as/<slug:party>/incidents/<str:public_id>/",
        view_as.incident,
        name="incident_as",
    ),
    path(
        "o/<slug:org>/sharing/as/<slug:party>/proposed/incidents/<str:public_id>/",
        view_as.proposed_incident,
        name="incident_as_proposed",
    ),
    path("o/<slug:org>/sharing/ledger/", ledger_view.ledger, name="ledger"),
    path(
        "o/<slug:org>/sharing/evidence-requests/<str:public_id>/answer/",
        answer_view.answer,
        name="answer_request",
    ),
    path(
        "o/<slug:org>/sharing/evidence-requests/<str:public_id>/<str:act>/",
        evidence_requests.act,
        name="act_on_request",
    ),
    path(
        "o/<slug:org>/sharing/signing-keys/",
        signing_keys_view.make_signing_key,
        name="make_signing_key",
    ),
    path("o/<slug:org>/sharing/sign/", sign_all_view.sign_agreements, name="sign_agreements"),
    path("o/<slug:org>/sharing/propose/", proposal_view.propose, name="propose_agreement"),
    path("o/<slug:org>/sharing/agreements/<str:public_id>/", sharing.agreement, name="agreement"),
    path(
        "o/<slug:org>/sharing/agreements/<str:public_id>/<str:act>/",
        sharing.act,
        name="act_on_agreement",
    ),
    path("o/<slug:org>/sharing/bundles/", bundles.bundles, name="bundles"),
    path("o/<slug:org>/sharing/bundles/new/", bundles.make, name="make_bundle"),
    path("o/<slug:org>/sharing/bundles/<str:public_id>/", bundles.bundle, name="bundle"),
    path(
        "o/<slug:org>/sharing/bundles/<str:public_id>/file/",
        bundles.download,
        name="bundle_file",
    ),
    path(
        "o/<slug:org>/sharing/bundles/<str:public_id>/<str:act>/",
        bundles.act,
        name="act_on_bundle",
    ),
]
