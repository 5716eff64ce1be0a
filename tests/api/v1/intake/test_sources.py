"""Sources through REST: who enters them, what is checked; a credential never comes out."""

from typing import Any

import pytest

from apps.telemetry.metrics.coverage import record_names
from apps.telemetry.models import Source
from apps.tenancy.credentials import unseal
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast

SECRET = "s3cret-of-the-source"  # noqa: S105  opens nothing


def _entry(cast: Cast, **more: Any) -> dict[str, Any]:
    base = {
        "cluster": cast.cluster.slug,
        "name": "metrics",
        "url": "https://metrics.example:9090",
        "auth": "bearer",
        "credential": SECRET,
    }
    return base | more


def _admin(cast: Cast) -> Asking:
    return member(cast.operator, MemberRole.ADMIN)


def test_a_credential_goes_in_and_never_comes_out(cast: Cast) -> None:
    asking = _admin(cast)
    made = asking.post("sources/", _entry(cast))

    assert made.status_code == 201
    told = [made, asking.get("sources/"), asking.get(f"sources/{made.json()['id']}/")]
    assert all(SECRET not in answer.content.decode() for answer in told)
    assert made.json()["has_credential"] is True
    with organization_scope(cast.operator.pk):
        (row,) = Source.objects.for_organization(cast.operator)
    assert row.credential is not None
    assert SECRET.encode() not in bytes(row.credential)
    assert unseal(sealed=row.credential) == SECRET


def test_a_credential_is_one_line_that_a_header_can_hold(cast: Cast) -> None:
    asking = _admin(cast)
    refused = asking.post("sources/", _entry(cast, credential=f"{SECRET}\r\nX-Else: 1"))
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "credential"
    assert SECRET not in refused.content.decode()

    assert asking.post("sources/", _entry(cast, credential=f"{SECRET}\n")).status_code == 201
    with organization_scope(cast.operator.pk):
        (row,) = Source.objects.for_organization(cast.operator)
    assert unseal(sealed=row.credential or b"") == SECRET


def test_only_admins_enter_sources(cast: Cast) -> None:
    for asking in (
        member(cast.operator, MemberRole.RESPONDER),
        member(cast.operator, MemberRole.VIEWER),
        token(cast.operator),
    ):
        assert asking.post("sources/", _entry(cast)).status_code == 404


def test_a_foreign_cluster_is_not_found(cast: Cast) -> None:
    stranger = member(cast.stranger, MemberRole.ADMIN)
    for slug in (cast.cluster.slug, "absent"):
        assert stranger.post("sources/", _entry(cast, cluster=slug)).status_code == 404


@pytest.mark.parametrize("field", ["url", "auth", "verify_tls"])
def test_who_gets_the_credential_changes_only_with_the_credential(cast: Cast, field: str) -> None:
    asking = _admin(cast)
    at = f"sources/{asking.post('sources/', _entry(cast)).json()['id']}/"
    moved = {"url": "https://elsewhere.example", "auth": "basic", "verify_tls": False}
    change = {field: moved[field]}

    refused = asking.send("PATCH", at, change)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "credential"
    assert asking.get(at).json()["url"] == "https://metrics.example:9090"
    assert asking.send("PATCH", at, change | {"credential": "a:b"}).status_code == 200


def test_other_changes_keep_the_credential(cast: Cast) -> None:
    asking = _admin(cast)
    at = f"sources/{asking.post('sources/', _entry(cast)).json()['id']}/"

    changed = asking.send("PATCH", at, {"name": "renamed", "enabled": False}).json()
    assert (changed["name"], changed["enabled"]) == ("renamed", False)
    assert changed["has_credential"] is True
    assert changed["auth"] == "bearer"


def test_without_sign_in_no_credential_is_kept(cast: Cast) -> None:
    asking = _admin(cast)
    at = f"sources/{asking.post('sources/', _entry(cast)).json()['id']}/"

    changed = asking.send("PATCH", at, {"auth": "none"})
    assert changed.status_code == 200
    assert changed.json()["has_credential"] is False


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "ftp://metrics.example"),
        ("url", "http://user:word@metrics.example"),
        ("url", "https://metrics.example/?token=0123456789abcdef"),
        ("url", "https://metrics.example/#0123456789abcdef"),
        ("url", "https://metrics.example/\r\nX: y"),
        ("url", "http://127.0.0.1:9090"),
        ("url", "http://2130706433:9090"),
        ("url", "http://0x7f000001:9090"),
        ("url", "http://[::1]:9090"),
        ("url", "http://localhost:9090"),
        ("url", "http://LOCALHOST.:9090"),
        ("url", "http://metadata.google.internal/"),
        ("url", "http://169.254.169.254/latest"),
        ("allowed_networks", ["everywhere"]),
        ("zone", "Mars/Olympus"),
        ("auth", "digest"),
        ("credential", ""),
        ("label_map", {"instance": "whatever"}),
        ("name", ""),
    ],
)
def test_what_can_not_be_used_is_refused_by_field(cast: Cast, field: str, value: Any) -> None:
    answer = _admin(cast).post("sources/", _entry(cast, **{field: value}))

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"].partition(".")[0] == field


def test_a_name_is_used_once(cast: Cast) -> None:
    asking = _admin(cast)
    asking.post("sources/", _entry(cast))
    again = asking.post("sources/", _entry(cast))

    assert again.status_code == 400
    assert again.json()["errors"][0]["field"] == "name"


def test_what_a_client_may_not_set_is_refused(cast: Cast) -> None:
    claimed = {"id": "SRC-1", "simulated": True, "state": "fresh", "kind": "push"}
    refused = _admin(cast).post("sources/", _entry(cast, **claimed)).json()

    assert {each["field"]: each["detail"] for each in refused["errors"]} == dict.fromkeys(
        claimed, "this can't be set; leave it out"
    )


def test_a_source_tells_what_it_cannot_tell(cast: Cast) -> None:
    asking = _admin(cast)
    at = f"sources/{asking.post('sources/', _entry(cast)).json()['id']}/"
    assert asking.get(at).json()["coverage"] is None

    with organization_scope(cast.operator.pk):
        (row,) = Source.objects.for_organization(cast.operator)
        record_names(source=row, names=["DCGM_FI_DEV_PCIE_REPLAY_COUNTER"], now=make.AT)
    told = asking.get(at).json()["coverage"]
    subjects = {each["subject"]: each for each in told["subjects"]}
    assert told["name_count"] == 1
    assert subjects["gpu-pcie"]["state"] == "partly"
    assert [part["state"] for part in subjects["gpu-pcie"]["parts"]] == ["measured", "absent"]
    assert subjects["nfs-client"]["state"] == "absent"
    assert "--collector.mountstats" in subjects["nfs-client"]["parts"][0]["given_by"]
    assert subjects["silent-corruption"]["state"] == "unsupported-by-any-known-exporter"
