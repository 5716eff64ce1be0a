"""What the program defines it asks for itself: what only tests call is no part of it."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = [path for each in ("apps", "portal") for path in sorted((ROOT / each).rglob("*.py"))]
# Who else may name what is defined: pages, the command, how it is built and started.
BESIDE = [
    *(path for path in sorted((ROOT / "templates").rglob("*")) if path.is_file()),
    *(ROOT / name for name in ("manage.py", "pyproject.toml", "setup.py", "Makefile")),
    *(path for path in sorted((ROOT / "docker").rglob("*")) if path.is_file()),
]
# Methods that a library calls by their names.
OF_LIBRARIES = {
    "handle_starttag",  # html.parser
    *("authenticate_header", "select_parser", "select_renderer", "get_exception_handler"),  # DRF
    "run_child_validation",  # DRF's, of a field of many
    *("get_security_definition", "TokenScheme"),  # drf-spectacular finds its subclasses
    *("connection_class", "_close_connection"),  # smtplib's and Django's mail
    *("_should_upgrade", "_die_with_the_worker", "_say_ready"),  # uvicorn, Celery's signals
    *("do_GET", "do_POST", "log_message"),  # http.server
    *("readinto", "_proc_gnusparse_10"),  # io, tarfile
    # allauth's doors to providers
    *("get_oauth2_adapter", "get_access_token_data", "parse_token", "complete_login"),
    *("list_apps", "get_requests_session", "pre_social_login", "on_authentication_error"),
    *("from_db_value", "get_db_converters", "_get_session_auth_hash", "allow_migrate"),  # Django
    *(
        "is_open_for_signup",
        "get_client_ip",
        "is_safe_url",
        "post_login",
        "reauthenticate",
    ),  # allauth
    *("encrypt", "decrypt", "get_totp_label", "add_message"),  # allauth
    *(
        "respond_user_inactive",
        "can_delete_authenticator",
        "generate_authenticator_name",
        "get_public_key_credential_rp_entity",
        "get_public_key_credential_user_entity",
    ),  # allauth
    *("get_object", "form_valid"),  # views of allauth and Django
    *("proxy_manager_for", "get_adapter", "get_redirect_target"),  # requests
}
CONFIG = re.compile(r"[A-Z]\w+Config")  # Django finds them
FIELD = re.compile(r"get_\w+")  # of DRF's SerializerMethodField, where a class is a serializer


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_what_is_defined_is_asked_for_outside_tests() -> None:
    texts = {path: path.read_text("utf-8") for path in CODE}
    named = Counter(word for text in texts.values() for word in words(text))
    named.update(word for path in BESIDE for word in words(path.read_text("utf-8", "ignore")))
    idle = []
    for path, text in texts.items():
        if "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            is_own = node.name.startswith("__")  # Python asks for these
            is_found = is_own or CONFIG.fullmatch(node.name) or node.name in OF_LIBRARIES
            is_field = "serializers" in path.parts and FIELD.fullmatch(node.name)
            if named[node.name] == 1 and not is_found and not is_field:
                idle.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert idle == []
