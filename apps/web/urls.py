"""The addresses of the pages."""

from django.urls import path

from apps.web.views import (
    home,
    incident,
    incidents,
    join,
    members,
    notes,
    notices,
    session,
    sessions,
    sign_in,
    source,
    sources,
    tokens,
    upload,
    warnings,
)

app_name = "web"
urlpatterns = [
    path("", sign_in.start, name="start"),
    path("sign-in/", sign_in.sign_in, name="sign_in"),
    path("join/<str:code>/", join.join, name="join"),
    path("sign-out/", sign_in.sign_out, name="sign_out"),
    path("o/<slug:org>/", home.home, name="home"),
    path("o/<slug:org>/incidents/", incidents.incidents, name="incidents"),
    path("o/<slug:org>/incidents/<str:public_id>/", incident.incident, name="incident"),
    path(
        "o/<slug:org>/incidents/<str:public_id>/notes/",
        notes.add,
        name="add_note",
    ),
    path(
        "o/<slug:org>/incidents/<str:public_id>/notes/<str:note_id>/",
        notes.edit,
        name="edit_note",
    ),
    path("o/<slug:org>/incidents/<str:public_id>/<str:deed>/", incident.act, name="act"),
    path("o/<slug:org>/warnings/", warnings.warnings, name="warnings"),
    path("o/<slug:org>/sessions/", sessions.sessions, name="sessions"),
    path("o/<slug:org>/sessions/<str:public_id>/", session.session, name="session"),
    path("o/<slug:org>/sources/", sources.sources, name="sources"),
    path("o/<slug:org>/sources/add/", source.add, name="add_source"),
    path("o/<slug:org>/sources/<str:public_id>/", source.source, name="source"),
    path("o/<slug:org>/tokens/", tokens.add, name="add_token"),
    path("o/<slug:org>/tokens/<str:prefix>/revoke/", tokens.revoke, name="revoke_token"),
    path("o/<slug:org>/settings/", members.settings, name="settings"),
    path("o/<slug:org>/settings/members/", members.members, name="members"),
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
    path("o/<slug:org>/settings/tokens/", tokens.tokens, name="tokens"),
    path("o/<slug:org>/settings/tokens/<str:prefix>/revoke/", tokens.end, name="end_token"),
    path("o/<slug:org>/settings/notices/", notices.notices, name="notices"),
    path("o/<slug:org>/settings/notices/test/", notices.test, name="test_notice"),
    path("o/<slug:org>/settings/notices/again/", notices.all_again, name="notices_again"),
    path("o/<slug:org>/settings/notices/webhook/", notices.webhook, name="webhook"),
    path("o/<slug:org>/settings/notices/webhook/<str:deed>/", notices.tend, name="tend_webhook"),
    path(
        "o/<slug:org>/settings/notices/deliveries/<str:public_id>/again/",
        notices.again,
        name="notice_again",
    ),
    path("o/<slug:org>/upload/", upload.upload, name="upload"),
    path("o/<slug:org>/upload/<str:batch_id>/", upload.progress, name="upload_progress"),
]
