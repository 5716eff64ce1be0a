"""Addresses of members, tokens and notifications."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views.people import deliveries, members, notifications, tokens

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
urlpatterns: list[URLPattern | URLResolver] = [
    path("members/", members.Members.as_view(), name="members"),
    path("members/<str:username>/", members.MemberDetail.as_view(), name="member"),
    path("invitations/", members.Invitations.as_view(), name="invitations"),
    path("invitations/<str:public_id>/", members.InvitationDetail.as_view(), name="invitation"),
    path("notifications/", include(notification)),
    path("tokens/", tokens.Tokens.as_view(), name="tokens"),
    path("tokens/<str:prefix>/", tokens.TokenDetail.as_view(), name="token"),
]
