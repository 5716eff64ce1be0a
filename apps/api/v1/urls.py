"""Everything below `/api/v1/o/<organization>/`."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views import (
    agreements,
    answers,
    batches,
    bundles,
    deliveries,
    evidence_requests,
    failed_work,
    fleet,
    ledger,
    members,
    notifications,
    offenders,
    participation,
    recovery,
    reliability,
    report_files,
    report_schedules,
    reports,
    retries,
    runs,
    session_states,
    sources,
    storage_path,
    stragglers,
    submissions,
    tokens,
    warnings,
)
from apps.api.v1.views.incident import (
    actions,
    annotations,
    evidence,
    exports,
    feedback,
    hand_overs,
    incidents,
    lifecycle,
    resolutions,
)
from apps.incidents.exports.known_formats import all_formats
from apps.reliability.period.tables import COLUMNS

incident: list[URLPattern] = [
    path("", incidents.IncidentDetail.as_view(), name="incident"),
    path("hypotheses/", incidents.Hypotheses.as_view(), name="hypotheses"),
    path("missing/", incidents.MissingEvidence.as_view(), name="missing"),
    path("evidence/", evidence.IncidentEvidence.as_view(), name="evidence"),
    path("log-lines/", incidents.LogLines.as_view(), name="log_lines"),
    path("shared-log-lines/", incidents.SharedLogLines.as_view(), name="shared_log_lines"),
    path("shared-sessions/", incidents.SharedSessions.as_view(), name="shared_sessions"),
    path("timeline/", incidents.Timeline.as_view(), name="timeline"),
    path("annotations/", annotations.Annotations.as_view(), name="annotations"),
    path("annotations/read/", annotations.AnnotationsRead.as_view(), name="annotations_read"),
    path("annotations/<str:note>/", annotations.AnnotationDetail.as_view(), name="annotation"),
    path("feedback/", feedback.IncidentFeedback.as_view(), name="feedback"),
    path("hand-overs/", hand_overs.HandOvers.as_view(), name="hand_overs"),
    path("hand-overs/<str:hand_over>/", hand_overs.HandOverDetail.as_view(), name="hand_over"),
    path("resolutions/", resolutions.Resolutions.as_view(), name="resolutions"),
    path(
        "resolutions/<str:resolution>/",
        resolutions.ResolutionDetail.as_view(),
        name="resolution",
    ),
    path("actions/", actions.Actions.as_view(), name="actions"),
    path("actions/<str:action>/", actions.ActionDetail.as_view(), name="action"),
    path("acknowledge/", lifecycle.Acknowledge.as_view(), name="acknowledge"),
    path("resolve/", lifecycle.Resolve.as_view(), name="resolve"),
    path("reopen/", lifecycle.Reopen.as_view(), name="reopen"),
    path("export", exports.IncidentExport.as_view(), name="incident_export"),
    *(
        path(
            f"export.{form.name}",
            exports.incident_as(form).as_view(),
            name=f"incident_export_{form.name}",
        )
        for form in all_formats().values()
    ),
]
report: list[URLPattern] = [
    path("", reports.ReportDetail.as_view(), name="report"),
    path("changes/", reports.ReportChanges.as_view(), name="report_changes"),
    path("signatures/", reports.ReportSignatures.as_view(), name="report_sign"),
    path("export.csv", reports.ReportCsv.as_view(), name="report_export_csv"),
    *(
        path(
            f"export.{form.name}",
            report_files.report_as(form).as_view(),
            name=f"report_export_{form.name}",
        )
        for form in report_files.FORMS
    ),
]
notification: list[URLPattern] = [
    path("preferences/", notifications.Preferences.as_view(), name="preferences"),
    path("webhook/", notifications.WebhookDetail.as_view(), name="webhook"),
    path("webhook/rotate/", notifications.WebhookRotate.as_view(), name="webhook_rotate"),
    path("webhook/resume/", notifications.WebhookResume.as_view(), name="webhook_resume"),
    path("deliveries/", deliveries.Deliveries.as_view(), name="deliveries"),
    path("deliveries/<str:public_id>/", deliveries.DeliveryDetail.as_view(), name="delivery"),
    path(
        "deliveries/<str:public_id>/replay/",
        deliveries.DeliveryReplay.as_view(),
        name="delivery_replay",
    ),
    path("replay-failed/", deliveries.FailedReplay.as_view(), name="replay_failed"),
    path("test/", deliveries.Tests.as_view(), name="notification_test"),
]
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
inside: list[URLPattern | URLResolver] = [
    path("agreements/", agreements.Agreements.as_view(), name="agreements"),
    path("agreements/<str:public_id>/", include(agreement)),
    path("bundles/", bundles.Bundles.as_view(), name="bundles"),
    path("bundles/<str:public_id>/", include(bundle)),
    path("evidence-requests/", evidence_requests.EvidenceRequests.as_view(), name="requests"),
    path("evidence-requests/<str:public_id>/", include(evidence_request)),
    path("signing-keys/", answers.SigningKeys.as_view(), name="signing_keys"),
    path("clusters/", fleet.Clusters.as_view(), name="clusters"),
    path("clusters/<str:public_id>/", fleet.ClusterDetail.as_view(), name="cluster"),
    path("clusters/<str:public_id>/parties/", participation.Parties.as_view(), name="parties"),
    path(
        "clusters/<str:public_id>/hosts-agreement/",
        participation.HostsAgreement.as_view(),
        name="hosts_agreement",
    ),
    path(
        "clusters/<str:public_id>/parts/<str:part>/",
        participation.OwnParticipation.as_view(),
        name="part",
    ),
    path("clusters/<str:public_id>/exclusions/", offenders.Exclusions.as_view(), name="exclusions"),
    path("clusters/<str:public_id>/offenders/", offenders.Offenders.as_view(), name="offenders"),
    path(
        "clusters/<str:public_id>/offenders.csv",
        offenders.OffendersCsv.as_view(),
        name="offenders_csv",
    ),
    path(
        "clusters/<str:public_id>/storage-path/",
        storage_path.StoragePath.as_view(),
        name="storage_path",
    ),
    path(
        "clusters/<str:public_id>/storage-path/ledger.csv",
        storage_path.CheckpointLedgerCsv.as_view(),
        name="checkpoint_ledger_csv",
    ),
    path(
        "clusters/<str:public_id>/storage-path/ratings/",
        storage_path.StorageRatings.as_view(),
        name="storage_ratings",
    ),
    path("proposals/", participation.Proposals.as_view(), name="proposals"),
    path("proposals/<str:public_id>/", participation.ProposalDetail.as_view(), name="proposal"),
    path(
        "proposals/<str:public_id>/accept/", participation.Accept.as_view(), name="accept_proposal"
    ),
    path(
        "proposals/<str:public_id>/decline/",
        participation.Decline.as_view(),
        name="decline_proposal",
    ),
    path("nodes/", fleet.Nodes.as_view(), name="nodes"),
    path("nodes/<str:public_id>/", fleet.NodeDetail.as_view(), name="node"),
    path(
        "nodes/<str:public_id>/history/",
        offenders.NodeHistoryDetail.as_view(),
        name="node_history",
    ),
    path("sessions/", fleet.SessionList.as_view(), name="sessions"),
    path("sessions/<str:public_id>/", fleet.SessionDetail.as_view(), name="session"),
    path(
        "sessions/<str:public_id>/states/",
        session_states.SessionStates.as_view(),
        name="session_states",
    ),
    path(
        "sessions/<str:public_id>/recovery/<str:attempt>/",
        recovery.RecoveryDetail.as_view(),
        name="session_recovery",
    ),
    path(
        "sessions/<str:public_id>/runs/<str:attempt>/", runs.RunDetail.as_view(), name="session_run"
    ),
    path("retry-chains/", retries.RetryChains.as_view(), name="retry_chains"),
    path("retry-chains/export.csv", retries.RetryChainsCsv.as_view(), name="retry_chains_csv"),
    path("recoveries/", retries.Recoveries.as_view(), name="recoveries"),
    path(
        "sessions/<str:public_id>/stragglers/",
        stragglers.SessionStragglers.as_view(),
        name="session_stragglers",
    ),
    path("stragglers/", stragglers.Stragglers.as_view(), name="stragglers"),
    path("stragglers/jobs.csv", stragglers.StragglerJobsCsv.as_view(), name="straggler_jobs_csv"),
    path("incidents/", incidents.Incidents.as_view(), name="incidents"),
    path("incidents/export", exports.IncidentsExport.as_view(), name="incidents_export"),
    *(
        path(
            f"incidents/export.{form.name}",
            exports.incidents_as(form).as_view(),
            name=f"incidents_export_{form.name}",
        )
        for form in all_formats().values()
    ),
    path("incidents/<str:public_id>/", include(incident)),
    path("reports/", reports.Reports.as_view(), name="reports"),
    path("reports/<str:public_id>/", include(report)),
    path("report-schedules/", report_schedules.ReportSchedules.as_view(), name="report_schedules"),
    path(
        "report-schedules/<str:public_id>/",
        report_schedules.ReportScheduleDetail.as_view(),
        name="report_schedule",
    ),
    path("accuracy/", feedback.Accuracy.as_view(), name="accuracy"),
    path("reliability/", reliability.Reliability.as_view(), name="reliability"),
    *(
        path(
            f"reliability/{table}.csv",
            reliability.reliability_as(table).as_view(),
            name=f"reliability_{table.replace('-', '_')}",
        )
        for table in COLUMNS
    ),
    path("warnings/", warnings.Warnings.as_view(), name="warnings"),
    path("warnings/<str:public_id>/", warnings.WarningDetail.as_view(), name="warning"),
    path("shared-warnings/", warnings.SharedWarnings.as_view(), name="shared_warnings"),
    path("failed-work/", failed_work.FailedWorks.as_view(), name="failed_work"),
    path("ledger/", ledger.Ledger.as_view(), name="ledger"),
    path("ledger/export.csv", ledger.LedgerCsv.as_view(), name="ledger_csv"),
    path("members/", members.Members.as_view(), name="members"),
    path("members/<str:username>/", members.MemberDetail.as_view(), name="member"),
    path("invitations/", members.Invitations.as_view(), name="invitations"),
    path("invitations/<str:public_id>/", members.InvitationDetail.as_view(), name="invitation"),
    path("notifications/", include(notification)),
    path("batches/set-aside/", batches.SetAside.as_view(), name="set_aside"),
    path("sources/", sources.Sources.as_view(), name="sources"),
    path("sources/<str:public_id>/", sources.SourceDetail.as_view(), name="source"),
    path("submissions/<str:public_id>/", submissions.SubmissionDetail.as_view(), name="submission"),
    path("tokens/", tokens.Tokens.as_view(), name="tokens"),
    path("tokens/<str:prefix>/", tokens.TokenDetail.as_view(), name="token"),
]
urlpatterns = [path("api/v1/o/<str:organization>/", include((inside, "v1")))]
