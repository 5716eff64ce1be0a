"""Addresses of a person's own account, under the names by which allauth looks for them."""

from django.urls import path

from apps.web.sign_in import passkey_view, second_factor_view, sessions_view, view

urlpatterns = [
    path("sign-in/", view.sign_in, name="account_login"),
    path("sign-in/second-factor/", second_factor_view.authenticate, name="mfa_authenticate"),
    path("sign-in/passkey/", passkey_view.sign_in_passkey, name="mfa_login_webauthn"),
    path("account/confirm/", second_factor_view.confirm_password, name="account_reauthenticate"),
    path("account/confirm/code/", second_factor_view.confirm_code, name="mfa_reauthenticate"),
    path(
        "account/confirm/passkey/",
        passkey_view.confirm_passkey,
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/second-factor/", second_factor_view.index, name="mfa_index"),
    path("account/second-factor/app/", second_factor_view.add_app, name="mfa_activate_totp"),
    path(
        "account/second-factor/app/remove/",
        second_factor_view.remove_app,
        name="mfa_deactivate_totp",
    ),
    path(
        "account/second-factor/recovery-codes/",
        second_factor_view.recovery_codes,
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/second-factor/recovery-codes/new/",
        second_factor_view.new_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/passkeys/add/",
        passkey_view.add_passkey,
        name="mfa_add_webauthn",
    ),
    path(
        "account/second-factor/passkeys/<str:passkey>/rename/",
        passkey_view.rename_passkey,
        name="mfa_edit_webauthn",
    ),
    path(
        "account/second-factor/passkeys/<str:passkey>/remove/",
        passkey_view.remove_passkey,
        name="mfa_remove_webauthn",
    ),
    path("account/sessions/", sessions_view.sessions, name="usersessions_list"),
    path("account/sessions/end/", sessions_view.end, name="end_sessions"),
]
