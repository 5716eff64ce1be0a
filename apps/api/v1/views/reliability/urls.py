"""Addresses of what failures cost, and of reports."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views.reliability import (
    offenders,
    reliability,
    report_files,
    report_schedules,
    reports,
    retries,
    storage_path,
    stragglers,
)
from apps.reliability.period.tables import COLUMNS

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
urlpatterns: list[URLPattern | URLResolver] = [
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
    path(
        "nodes/<str:public_id>/history/",
        offenders.NodeHistoryDetail.as_view(),
        name="node_history",
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
    path("reports/", reports.Reports.as_view(), name="reports"),
    path("reports/<str:public_id>/", include(report)),
    path("report-schedules/", report_schedules.ReportSchedules.as_view(), name="report_schedules"),
    path(
        "report-schedules/<str:public_id>/",
        report_schedules.ReportScheduleDetail.as_view(),
        name="report_schedule",
    ),
    path("reliability/", reliability.Reliability.as_view(), name="reliability"),
    *(
        path(
            f"reliability/{table}.csv",
            reliability.reliability_as(table).as_view(),
            name=f"reliability_{table.replace('-', '_')}",
        )
        for table in COLUMNS
    ),
]
