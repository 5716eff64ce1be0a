"""Addresses of agreements, requests for evidence, bundles, signing keys and the ledger."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views.sharing import agreements, answers, bundles, evidence_requests, ledger

agreement: list[URLPattern] = [
    path("", agreements.AgreementDetail.as_view(), name="agreement"),
    path("receipts/", agreements.AgreementReceipts.as_view(), name="agreement_receipts"),
    path("sign/", agreements.AgreementSign.as_view(), name="agreement_sign"),
    path("decline/", agreements.AgreementDecline.as_view(), name="agreement_decline"),
    path("take-back/", agreements.AgreementTakeBack.as_view(), name="agreement_take_back"),
    path("revoke/", agreements.AgreementRevoke.as_view(), name="agreement_revoke"),
]
bundle: list[URLPattern] = [
    path("", bundles.BundleDetail.as_view(), name="bundle"),
    path("preview/", bundles.BundlePreview.as_view(), name="bundle_preview"),
    path("send/", bundles.BundleSend.as_view(), name="bundle_send"),
    path("revoke/", bundles.BundleRevoke.as_view(), name="bundle_revoke"),
    path("download", bundles.BundleDownload.as_view(), name="bundle_download"),
]
evidence_request: list[URLPattern] = [
    path("", evidence_requests.EvidenceRequestDetail.as_view(), name="evidence_request"),
    path("grant/", evidence_requests.EvidenceRequestGrant.as_view(), name="request_grant"),
    path("decline/", evidence_requests.EvidenceRequestDecline.as_view(), name="request_decline"),
    path(
        "take-back/", evidence_requests.EvidenceRequestTakeBack.as_view(), name="request_take_back"
    ),
    path("checks/", answers.EvidenceRequestChecks.as_view(), name="request_checks"),
    path("answer/", answers.EvidenceRequestAnswer.as_view(), name="request_answer"),
    path("revoke/", evidence_requests.EvidenceRequestRevoke.as_view(), name="request_revoke"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("agreements/", agreements.Agreements.as_view(), name="agreements"),
    path("agreements/<str:public_id>/", include(agreement)),
    path("bundles/", bundles.Bundles.as_view(), name="bundles"),
    path("bundles/<str:public_id>/", include(bundle)),
    path("evidence-requests/", evidence_requests.EvidenceRequests.as_view(), name="requests"),
    path("evidence-requests/<str:public_id>/", include(evidence_request)),
    path("signing-keys/", answers.SigningKeys.as_view(), name="signing_keys"),
    path("ledger/", ledger.Ledger.as_view(), name="ledger"),
    path("ledger/export.csv", ledger.LedgerCsv.as_view(), name="ledger_csv"),
]
