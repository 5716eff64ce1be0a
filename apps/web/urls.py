"""The addresses of the pages."""

from django.urls import path

from apps.web import sharing_addresses as sharing
from apps.web.accuracy import view as accuracy
from apps.web.changes import view as changes
from apps.web.compare import view as compare_view
from apps.web.connect import view as connect
from apps.web.evidence_requests import view as evidence_requests
from apps.web.explore import view as explore
from apps.web.find import view as find
from apps.web.first_steps import view as first_steps
from apps.web.fleet import view as fleet
from apps.web.home import view as home
from apps.web.incident import annotation_view, feedback_view, log_context_view, timeline_view
from apps.web.incident import coordination_view as coordination
from apps.web.incident import view as incident
from apps.web.incidents import view as incidents
from apps.web.lists import view as lists
from apps.web.live import stream_view
from apps.web.logs import view as logs
from apps.web.nodes import view as nodes
from apps.web.offenders import view as offenders
from apps.web.reliability import view as reliability
from apps.web.reports import schedule_view as report_schedules
from apps.web.reports import sign_view as report_signing
from apps.web.reports import view as reports
from apps.web.retries import view as retries
from apps.web.session import view as session
from apps.web.sessions import view as sessions
from apps.web.settings import addresses as settings
from apps.web.settings.account import address_view
from apps.web.settings.tokens import view as tokens
from apps.web.sign_in import join_view, provider_view, saml_view
from apps.web.sign_in import view as sign_in
from apps.web.sources import source_view
from apps.web.sources import view as sources
from apps.web.storage_path import view as storage
from apps.web.stragglers import view as stragglers
from apps.web.upload import view as upload
from apps.web.warnings import view as warnings

app_name = "web"
urlpatterns = [
    path("", sign_in.start, name="start"),
    path("sign-in/", sign_in.sign_in, name="sign_in"),
    path("sign-in/with/<str:code>/", provider_view.sign_in_with, name="sign_in_with"),
    path(
        "sign-in/with/<str:code>/callback/",
        provider_view.provider_callback,
        name="provider_callback",
    ),
    path("sign-in/with/<str:code>/saml/", saml_view.answer, name="saml_answer"),
    path("sign-in/with/<str:code>/saml/finish/", saml_view.finish, name="saml_finish"),
    path("sign-in/with/<str:code>/saml/metadata/", saml_view.metadata, name="saml_metadata"),
    path("join/<str:code>/", join_view.join, name="join"),
    path("address/<str:code>/", address_view.confirm, name="confirm_address"),
    path("sign-out/", sign_in.sign_out, name="sign_out"),
    path("o/<slug:org>/", home.home, name="home"),
    path("o/<slug:org>/find/", find.find, name="find"),
    path("o/<slug:org>/find/line/", find.found_line, name="found_line"),
    path("o/<slug:org>/live/stream/", stream_view.stream, name="live_stream"),
    path("o/<slug:org>/live/changes/", stream_view.changes, name="live_changes"),
    path("o/<slug:org>/incidents/", incidents.incidents, name="incidents"),
    path("o/<slug:org>/incidents/<str:public_id>/", incident.incident, name="incident"),
    path(
        "o/<slug:org>/incidents/<str:public_id>/annotations/",
        annotation_view.add,
        name="add_annotation",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/annotations/changes/",
        annotation_view.changes,
        name="annotation_changes",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/annotations/<str:annotation_id>/",
        annotation_view.edit,
        name="edit_annotation",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/annotations/<str:annotation_id>/withdraw/",
        annotation_view.take_back,
        name="withdraw_annotation",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/timeline/",
        timeline_view.timeline,
        name="incident_timeline",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/feedback/",
        feedback_view.feedback,
        name="feedback",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/lines/",
        log_context_view.log_context,
        name="log_context",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/evidence-requests/",
        evidence_requests.ask,
        name="ask_for_evidence",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/hand-overs/",
        coordination.hand_overs,
        name="hand_overs",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/hand-overs/<str:hand_over>/",
        coordination.hand_over,
        name="hand_over",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/resolutions/",
        coordination.resolutions,
        name="resolutions",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/resolutions/<str:resolution>/",
        coordination.resolution,
        name="resolution",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/actions/<str:action>/",
        coordination.action,
        name="action",
    ),
    path("o/<slug:org>/incidents/<str:public_id>/<str:act>/", incident.act, name="act"),
    path("o/<slug:org>/saved-views/", lists.save, name="save_view"),
    path("o/<slug:org>/saved-views/<str:public_id>/", lists.act, name="act_on_view"),
    path("o/<slug:org>/explore/", explore.explore, name="explore"),
    path("o/<slug:org>/explore/csv/", explore.explore_csv, name="explore_csv"),
    path("o/<slug:org>/logs/", logs.logs, name="logs"),
    path("o/<slug:org>/logs/<str:key>/", logs.stream, name="log"),
    path("o/<slug:org>/logs/<str:key>/download/", logs.download, name="download_log"),
    path("o/<slug:org>/reports/", reports.reports, name="reports"),
    path("o/<slug:org>/reports/issue/", reports.issue, name="issue_report"),
    path("o/<slug:org>/reports/<str:public_id>/", reports.report, name="report"),
    path(
        "o/<slug:org>/reports/<str:public_id>/issue/",
        reports.issue_anew,
        name="issue_report_again",
    ),
    path(
        "o/<slug:org>/reports/<str:public_id>/sign/",
        report_signing.sign_one,
        name="sign_report",
    ),
    path("o/<slug:org>/report-schedules/", report_schedules.set_one, name="set_report_schedule"),
    path(
        "o/<slug:org>/report-schedules/<str:public_id>/end/",
        report_schedules.end,
        name="end_report_schedule",
    ),
    path("o/<slug:org>/accuracy/", accuracy.accuracy, name="accuracy"),
    path("o/<slug:org>/warnings/", warnings.warnings, name="warnings"),
    path("o/<slug:org>/nodes/<slug:cluster>/<str:host>/", nodes.node, name="node"),
    path(
        "o/<slug:org>/nodes/<slug:cluster>/<str:host>/exclude/",
        nodes.exclude,
        name="exclude_node",
    ),
    path(
        "o/<slug:org>/nodes/<slug:cluster>/<str:host>/put-back/",
        nodes.put_back,
        name="put_node_back",
    ),
    path("o/<slug:org>/fleet/", fleet.clusters, name="fleet"),
    path("o/<slug:org>/fleet/<slug:cluster>/", fleet.fleet, name="fleet_cluster"),
    path("o/<slug:org>/fleet/<slug:cluster>/values/", fleet.values, name="fleet_values"),
    path("o/<slug:org>/fleet/<slug:cluster>/curve/", fleet.curve, name="fleet_curve"),
    path("o/<slug:org>/fleet/<slug:cluster>/nodes/<str:host>/", fleet.node, name="fleet_node"),
    path("o/<slug:org>/changes/", changes.clusters, name="all_changes"),
    path("o/<slug:org>/changes/<slug:cluster>/", changes.changes, name="changes"),
    path("o/<slug:org>/changes/<slug:cluster>/tell/", changes.tell, name="tell_change"),
    path("o/<slug:org>/changes/<slug:cluster>/withdraw/", changes.withdraw, name="withdraw_change"),
    path("o/<slug:org>/offenders/<slug:cluster>/", offenders.offenders, name="offenders"),
    path("o/<slug:org>/offenders/", offenders.clusters, name="all_offenders"),
    path(
        "o/<slug:org>/incidents/<str:public_id>/compare/<str:other>/",
        compare_view.compare,
        name="compare_incidents",
    ),
    path("o/<slug:org>/retries/", retries.retries, name="retries"),
    path("o/<slug:org>/reliability/", reliability.reliability, name="reliability"),
    path("o/<slug:org>/sessions/", sessions.sessions, name="sessions"),
    path("o/<slug:org>/sessions/<str:public_id>/", session.session, name="session"),
    path("o/<slug:org>/sessions/<str:public_id>/traces/", stragglers.traces, name="add_trace"),
    path("o/<slug:org>/stragglers/", stragglers.stragglers, name="stragglers"),
    path("o/<slug:org>/storage-path/", storage.storage, name="storage"),
    path("o/<slug:org>/clusters/<slug:cluster>/storage-path/", storage.path, name="storage_path"),
    path(
        "o/<slug:org>/clusters/<slug:cluster>/storage-path/ratings/",
        storage.rate,
        name="rate_storage",
    ),
    path("o/<slug:org>/sample/", first_steps.sample, name="sample"),
    path("o/<slug:org>/sources/", sources.sources, name="sources"),
    path("o/<slug:org>/sources/connect/", connect.connect, name="connect"),
    path("o/<slug:org>/sources/add/", source_view.add, name="add_source"),
    path("o/<slug:org>/sources/<str:public_id>/", source_view.source, name="source"),
    path("o/<slug:org>/tokens/", tokens.add, name="add_token"),
    path("o/<slug:org>/tokens/<str:prefix>/revoke/", tokens.revoke, name="revoke_token"),
    *settings.ADDRESSES,
    *sharing.ADDRESSES,
    path("o/<slug:org>/upload/", upload.upload, name="upload"),
    path("o/<slug:org>/upload/<str:batch_id>/", upload.progress, name="upload_progress"),
]
