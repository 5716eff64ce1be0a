"""Addresses of sessions."""

from django.urls import URLPattern, path

from apps.api.v1.views.sessions import recovery, runs, sessions, states

urlpatterns: list[URLPattern] = [
    path("sessions/", sessions.SessionList.as_view(), name="sessions"),
    path("sessions/<str:public_id>/", sessions.SessionDetail.as_view(), name="session"),
    path(
        "sessions/<str:public_id>/states/",
        states.SessionStates.as_view(),
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
]
