"""Settings that no variable changes: the apps, what a request passes, how people sign in."""

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from portal import home

BASE_DIR = Path(__file__).resolve().parent.parent

# Application

INSTALLED_APPS = [
    "portal",
    "apps.operations",
    "apps.tenancy",
    "apps.fleet",
    "apps.telemetry",
    "apps.offline",
    "apps.sharing",
    "apps.incidents",
    "apps.notifications",
    "apps.reliability",
    "apps.search",
    "apps.api",
    "apps.web",
    "apps.simulator",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "axes",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
]
MIDDLEWARE = [
    "apps.operations.http.middleware.request_id",
    "apps.operations.monitoring.access_log.told",
    "apps.tenancy.work.after_response.answer_first",
    "apps.operations.http.middleware.connection_returned",
    "apps.operations.http.middleware.files_in_steps",
    "apps.operations.http.file_headers.files_bare",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "apps.operations.http.compression.Compressed",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "apps.operations.http.middleware.Unavailable",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "apps.operations.http.middleware.ReadersLanguage",
    "django.middleware.common.CommonMiddleware",
    "apps.operations.http.page_text.harmless",
    "apps.operations.http.former_addresses.led_on",
    "apps.operations.http.middleware.bodies_withheld",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "apps.operations.http.presence.noted",
    "apps.tenancy.middleware.OrganizationMiddleware",
]
ROOT_URLCONF = "portal.urls"
ASGI_APPLICATION = "portal.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": home.folders(base=BASE_DIR, name="templates"),
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "apps.web.shell.template_files.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# People

AUTH_USER_MODEL = "tenancy.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
ACCOUNT_ADAPTER = "apps.tenancy.sign_in.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # addresses are confirmed by the portal's own letters
SOCIALACCOUNT_ADAPTER = "apps.tenancy.single_sign_on.social_adapter.ProviderAccountAdapter"
MFA_ADAPTER = "apps.tenancy.sign_in.adapters.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RATE_LIMITS = {"webauthn_options": "30/m/ip"}  # beside allauth's own
MFA_FORMS = {
    "add_webauthn": "apps.tenancy.sign_in.passkey_forms.AddPasskeyForm",
    "edit_webauthn": "apps.tenancy.sign_in.passkey_forms.RenamePasskeyForm",
    "authenticate_webauthn": "apps.tenancy.sign_in.passkey_forms.PasskeyForm",
    "reauthenticate_webauthn": "apps.tenancy.sign_in.passkey_forms.ConfirmPasskeyForm",
    "login_webauthn": "apps.tenancy.sign_in.passkey_forms.SignInPasskeyForm",
}
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Faultline"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_NAME = "portal_session"
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
# One person's mistakes at one place: neither an office behind one address nor a name is locked out.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "apps.tenancy.sign_in.client_networks.network_of_request"
AXES_HTTP_RESPONSE_CODE = 429
AXES_VERBOSE = False

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ko", "한국어")]
LOCALE_PATHS = [BASE_DIR / "portal" / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# What a page may load

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Files of the pages: served by the web process itself, under /static/

STATIC_URL = "/static/"
STATICFILES_DIRS = home.folders(base=BASE_DIR, name="static")
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "apps.operations.http.one_sheet.OneSheet",
]
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_AUTOREFRESH = False
WHITENOISE_MAX_AGE = 60
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/plotly/\d"  # its version is a part of its address

# Interface for machines

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Faultline",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1/o/\{organization\}",  # what follows groups the operations
    "ENUM_NAME_OVERRIDES": {
        "HandOverStateEnum": "apps.incidents.states.HandOverState.choices",
        "ResolutionStateEnum": "apps.incidents.states.ResolutionState.choices",
        "ActionStateEnum": "apps.incidents.states.ActionState.choices",
        "RhythmEnum": ["at-once", "hourly", "daily"],
        "ReportRhythmEnum": ["weekly", "monthly"],
        "AudienceEnum": ["own", "cluster", "joint"],
        "VerdictStateEnum": "apps.incidents.states.VerdictState.choices",
        # As it was called before there were other states: clients are generated from the names.
        "LevelEnum": ["none", "signal", "redacted", "full"],
        "StateEnum": ["measured", "partly", "absent", "unsupported-by-any-known-exporter"],
        "CheckpointKindEnum": ["save", "load"],
        "KindEnum": ["offer", "withdrawal"],
    },
}
