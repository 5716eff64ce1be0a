"""Row-level security as PostgreSQL itself describes it, and who may look across organizations."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import psycopg
import pytest
from django.apps import apps
from django.db import DatabaseError, connection, connections, models, transaction

from apps.tenancy.models import AuditEntry, OwnedModel
from tests.cast import make

ROOT = Path(__file__).parents[2]
# Carry no secrets and no policy (people, names of organizations and clusters), or are Django's.
OPEN_TABLES = {
    *("tenancy_organization", "tenancy_user", "tenancy_confirmation", "fleet_cluster"),
    *("tenancy_user_groups", "tenancy_user_user_permissions"),
    # Of people, who belong to no organization or to several (ADR 26).
    *("account_emailaddress", "account_emailconfirmation", "mfa_authenticator"),
    "usersessions_usersession",
    # Stay empty: providers and identities are rows of organizations (ADR 27).
    *("socialaccount_socialaccount", "socialaccount_socialapp", "socialaccount_socialtoken"),
    *("auth_group", "auth_group_permissions", "auth_permission"),
    *("django_content_type", "django_migrations", "django_session"),
    *(
        "axes_accessattempt",
        "axes_accessfailurelog",
        "axes_accesslog",
        "axes_accessattemptexpiration",
    ),
}
LOOKUPS = {"portal_token", "portal_memberships", "portal_parties", "portal_parties_ever"}
# Make and drop a day of raw text: they take a day alone, and look themselves what it holds.
DAYS = {"telemetry_make_chunk_day", "telemetry_drop_chunk_day"}
# Where a scope holds several organizations: each is a place where parties meet.
SEVERAL_PLACES = {
    # Running the portal: a backup holds everything, counts and checks are of all together.
    *("apps.operations.backup.dump:_snapshot", "apps.operations.monitoring.health:_work"),
    "apps.operations.monitoring.row_counts:rows",
    # A party's act changes the header, which is its owner's row.
    *("apps.incidents.human_activity:mark_touched", "apps.incidents.lifecycle.resolution:_move"),
    "apps.incidents.lifecycle.steps:write_step",
    # Each party of a cluster has a copy of what all of them read, and none is told how many
    # tenants there are but by what is withheld.
    "apps.reliability.reports.issue:issue",
    "apps.reliability.period.joint_tenants:tenant_count",
    # Each of them has what the others say of a report, under its own name where it may be known.
    *("apps.reliability.reports.signatures:_readers", "apps.reliability.reports.signatures:sign"),
    "apps.fleet.parties.participants:who_know",
    # One row for each who reads what changed, without content; and who of them that is.
    *(
        "apps.tenancy.changes.announcements:announce",
        "apps.fleet.sessions.session_parties:announce_session",
    ),
    # One look for all organizations that a process has streams of; each hears its own.
    "apps.tenancy.changes.replay:read_after",
    # In whose hands an incident is takes all steps, also those that the actor may not read.
    "apps.incidents.lifecycle.steps:locked",
    # Correlation reads what all parties of the cluster know: the portal is the neutral party.
    *(
        "apps.incidents.correlation.correlate:correlate_attempt",
        "apps.incidents.correlation.touched_windows:map_windows",
    ),
    *(
        "apps.incidents.correlation.touched_windows:_touched",
        "apps.incidents.correlation.capture_orders:request",
    ),
    *(
        "apps.incidents.correlation.attempts.undiagnosed:note",
        "apps.telemetry.scheduler.allocated_hosts:with_confirmed_hosts",
    ),
    "apps.telemetry.scheduler.disputed_hosts:settle_hosts",
    # Who reports a session or its project does not own it: the tenant does.
    *(
        "apps.fleet.sessions.session_rows:record_report",
        "apps.fleet.sessions.session_parties:tell_parties",
        # So it is with what a job tells of recovering; lines that tell of the same are others'.
        "apps.telemetry.recovery.block_rows:keep_facts",
    ),
    "apps.fleet.inventory.inventory_records:_record_projects",
    # The project map is the operator's to write and the tenants' to own; who takes part is told to
    # those who may know.
    *(
        "apps.fleet.authority.project_owners:among_parties",
        "apps.fleet.parties.participants:participants",
    ),
    # Whoever runs a cluster reads what all parties told of nodes left out; the rest is projected.
    "apps.fleet.exclusions.exclusion_access:access_exclusions",
    # What a cluster's storage is rated at is for all of its parties to read.
    "apps.telemetry.storage_path.ratings:ratings_of",
    # One insert into the ledgers of all who show something of an incident.
    "apps.sharing.ledger.entries:write_looks",
    # Since when both sides of an agreement take part decides whether it still holds.
    "apps.sharing.grants:_returned_at",
    # A day of raw text goes for everybody at once, with what each cites kept for itself.
    "apps.telemetry.retention.purge.days:_drop",
    # Periodic fan-out: which organizations have anything to do. Ids come out, nothing else.
    *(
        "apps.telemetry.limits.intake_queue:waiting_organizations",
        "apps.telemetry.limits.dead_letters:try_again",
    ),
    "apps.fleet.parties.cross_party_audit:organizations_with_refusals",
}
APPEND_ONLY = {
    *("tenancy_auditentry", "incidents_timelineentry", "incidents_feedback"),
    "incidents_incidentstep",
    *("sharing_agreement", "sharing_agreementversion", "sharing_agreementact"),
    *("sharing_ledgerentry", "sharing_ledgerseal"),
    *("incidents_evidencerequest", "incidents_evidencerequestact"),
    *("sharing_signingkey", "sharing_signedanswer"),
}


def _owned_tables() -> list[str]:
    return sorted(
        model._meta.db_table for model in apps.get_models() if issubclass(model, OwnedModel)
    )


def _rows(statement: str, *values: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _tables(condition: str) -> set[str]:
    rows = _rows(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"  # noqa: S608  our own words
        f" AND relnamespace = 'public'::regnamespace AND {condition}"
    )
    return {str(name) for (name,) in rows}


@pytest.mark.django_db
def test_every_owned_table_is_under_forced_row_level_security() -> None:
    closed = _tables("relrowsecurity AND relforcerowsecurity")

    assert set(_owned_tables()) - closed == set()


@pytest.mark.django_db
def test_only_the_listed_tables_have_no_policy() -> None:
    assert _tables("NOT (relrowsecurity AND relforcerowsecurity)") <= OPEN_TABLES


@pytest.mark.django_db
def test_every_table_that_names_an_organization_is_an_owned_one() -> None:
    rows = _rows(
        "SELECT table_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND column_name = 'organization_id'"
    )

    assert {str(name) for (name,) in rows} == set(_owned_tables())


@pytest.mark.django_db
@pytest.mark.parametrize("table", _owned_tables())
def test_an_owned_table_has_a_policy_for_each_command_and_writes_stay_with_the_owner(
    table: str,
) -> None:
    rows = _rows(
        "SELECT cmd, qual, with_check FROM pg_policies"
        " WHERE schemaname = 'public' AND tablename = %s AND policyname LIKE 'scope_%%'",
        table,
    )
    policies = {str(command): (qual, check) for command, qual, check in rows}

    assert set(policies) == {"SELECT", "INSERT", "UPDATE", "DELETE"}
    assert "portal.organizations" in str(policies["SELECT"][0])
    own = str(policies["DELETE"][0])
    assert "organization_id = ANY" in own
    assert " OR " not in own
    assert policies["INSERT"] == (None, own)
    assert policies["UPDATE"] == (own, own)


@pytest.mark.django_db
def test_a_policy_for_others_than_the_application_belongs_to_the_lookups() -> None:
    rows = _rows(
        "SELECT tablename, roles::text, cmd FROM pg_policies"
        " WHERE schemaname = 'public' AND policyname NOT LIKE 'scope_%%'"
    )

    assert set(rows) == {
        ("tenancy_token", "{portal_lookup}", "SELECT"),
        ("tenancy_membership", "{portal_lookup}", "SELECT"),
        ("fleet_participation", "{portal_lookup}", "SELECT"),
        ("fleet_formerparticipation", "{portal_lookup}", "SELECT"),
    }


@pytest.mark.django_db
def test_the_application_role_can_not_get_around_a_policy() -> None:
    (role,) = _rows(
        "SELECT current_user::text, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles"
        " WHERE rolname = current_user"
    )
    owned = _rows("SELECT 1 FROM pg_class WHERE relowner = current_user::regrole")
    member = _rows(
        "SELECT 1 FROM pg_roles r WHERE r.rolname <> current_user"
        " AND pg_has_role(current_user, r.oid, 'MEMBER')"
        " AND (r.rolsuper OR r.rolbypassrls OR r.rolname IN ('portal_owner', 'portal_lookup'))"
    )

    assert role == ("portal_app", False, False, False)
    assert owned == []
    assert member == []


@pytest.mark.django_db
def test_only_look_ups_and_the_making_and_dropping_of_days_run_with_other_rights() -> None:
    rows = _rows(
        "SELECT p.proname, r.rolname, r.rolcanlogin, p.proconfig::text"
        " FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner"
        " WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef"
    )

    found = {str(name): (owner, login, str(config)) for name, owner, login, config in rows}
    assert set(found) == LOOKUPS | DAYS
    assert {found[name][:2] for name in LOOKUPS} == {("portal_lookup", False)}
    assert all("search_path=pg_catalog, public, pg_temp" in found[name][2] for name in LOOKUPS)
    assert {found[name][0] for name in DAYS} == {"portal_owner"}
    assert all("search_path=pg_catalog, pg_temp" in found[name][2] for name in DAYS)


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_temporary_table_does_not_stand_for_a_real_one_inside_a_look_up() -> None:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE fleet_participation ON COMMIT DROP"
            " AS SELECT 1::bigint AS cluster_id, 7::bigint AS organization_id"
        )
        cursor.execute("GRANT SELECT ON pg_temp.fleet_participation TO portal_lookup")
        cursor.execute("SELECT portal_parties(1)")
        assert cursor.fetchall() == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TEMPORARY TABLE a ()",
        "CREATE TABLE a ()",
        "CREATE FUNCTION a() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE SCHEMA a",
        "CREATE EXTENSION plpython3u",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "COPY tenancy_organization FROM '/etc/passwd'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_ls_dir('/')",
        "SELECT pg_stat_file('/etc/passwd')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT lo_create(0)",
        "SELECT lo_from_bytea(0, 'x')",
        "SET ROLE portal_owner",
        "SET ROLE portal_lookup",
        "SET SESSION AUTHORIZATION postgres",
        "SET log_statement = 'all'",
        "SET log_min_error_statement = 'error'",
        "SET session_replication_role = 'replica'",
        "ALTER ROLE portal_app BYPASSRLS",
        "ALTER TABLE tenancy_token DISABLE ROW LEVEL SECURITY",
        "TRUNCATE tenancy_auditentry",
        "CREATE PUBLICATION a FOR ALL TABLES",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
        "SELECT rolpassword FROM pg_authid",
    ],
)
def test_the_application_role_may_not(statement: str) -> None:
    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        _rows(statement.replace("%", "%%"))

    assert isinstance(refused.value.__cause__, psycopg.errors.Error)
    assert refused.value.__cause__.sqlstate in {"42501", "22023", "0A000"}


@pytest.mark.django_db
def test_the_application_role_is_a_member_of_nothing_and_may_nothing_special() -> None:
    members = _rows("SELECT 1 FROM pg_auth_members WHERE member = 'portal_app'::regrole")
    special = _rows(
        "SELECT 1 FROM pg_roles WHERE rolname = 'portal_app'"
        " AND (rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls OR rolsuper)"
    )
    assert (members, special) == ([], [])


@pytest.mark.django_db
@pytest.mark.parametrize("function", sorted(DAYS))
def test_a_day_is_all_that_the_functions_with_the_owners_rights_take(function: str) -> None:
    rows = _rows(
        "SELECT pg_get_function_identity_arguments(p.oid), p.proacl::text FROM pg_proc p"
        " WHERE p.pronamespace = 'public'::regnamespace AND p.proname = %s",
        function,
    )

    assert rows == [("day date", "{portal_owner=X/portal_owner,portal_app=X/portal_owner}")]


@pytest.mark.django_db
def test_a_partition_answers_nobody_by_its_own_name() -> None:
    _rows("SELECT telemetry_make_chunk_day('2026-02-03')")
    parts = _rows(
        "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity, c.relacl::text"
        " FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE c.relkind = 'r'"
    )

    # And those of the days to come, which the migrations make.
    assert {str(name) for name, *_ in parts} > {
        *("telemetry_logchunk_d19700101", "telemetry_logchunk_default"),
        "telemetry_logchunk_d20260203",
    }
    assert {closed for _, closed, _ in parts} == {True}
    assert not [rights for *_, rights in parts if "portal_app" in str(rights)]
    assert _rows("SELECT 1 FROM pg_policies WHERE tablename LIKE 'telemetry_logchunk\\_d%%'") == []
    for name, *_ in parts:
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            _rows(f"SELECT count(*) FROM {name}")  # noqa: S608  our own names


@pytest.mark.django_db
@pytest.mark.parametrize("table", sorted(APPEND_ONLY))
def test_the_record_can_not_be_changed_by_the_application(table: str) -> None:
    rows = _rows(
        "SELECT privilege FROM unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE']) AS privilege"
        " WHERE has_table_privilege(current_user, %s, privilege)",
        table,
    )

    assert rows == []


@pytest.mark.django_db
def test_unique_constraints_of_owned_tables_start_with_the_organization() -> None:
    # Else a conflict tells one party what another has.
    first = {
        (model.__name__, constraint.name, constraint.fields[0])
        for model in apps.get_models()
        if issubclass(model, OwnedModel)
        for constraint in model._meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
    }

    assert {each for each in first if each[2] != "organization"} == set()


@pytest.mark.django_db
def test_the_whole_database_reads_empty_without_a_scope() -> None:
    make.user(organization=make.organization())

    counts = {table: _rows(f"SELECT count(*) FROM {table}")[0][0] for table in _owned_tables()}  # noqa: S608  our own names
    assert {table for table, count in counts.items() if count} == set()


@pytest.mark.django_db
def test_nothing_is_written_without_a_scope() -> None:
    entry = AuditEntry(organization=make.organization(), sequence=1, digest=b"", at=make.AT)

    with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
        entry.save()


def test_scopes_of_several_organizations_are_opened_in_the_listed_places_only() -> None:
    found = {place for path in _modules() for place in _several(path)}

    assert found == SEVERAL_PLACES


def test_views_and_receivers_do_not_query_models() -> None:
    said = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("api", "web")
        for path in sorted((ROOT / "apps" / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if ".objects" in line or "_default_manager" in line or "connection.cursor" in line
    ]

    assert said == []


def _modules() -> list[Path]:
    return sorted((ROOT / "apps").rglob("*.py"))


def _several(path: Path) -> Iterator[str]:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if _is_scope(call) and (len(call.args) != 1 or isinstance(call.args[0], ast.Starred)):
                yield f"{module}:{function.name}"


def _is_scope(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "organization_scope"
    )
