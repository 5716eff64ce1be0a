"""Organizations, people, memberships, sign-in, tokens, the audit record, work that failed, and what
changed for open pages.
"""

from apps.tenancy.models.audit import AuditEntry, AuditPoint, RefusalCount
from apps.tenancy.models.failed_work import FailedWork
from apps.tenancy.models.idempotency import KeptAnswer
from apps.tenancy.models.memberships import Invitation, MemberRole, Membership
from apps.tenancy.models.organizations import Organization, OwnedManager, OwnedModel, OwnedQuerySet
from apps.tenancy.models.page_changes import PageChange, Topic
from apps.tenancy.models.people import SESSION_SALT, Confirmation, User, new_reference
from apps.tenancy.models.single_sign_on import (
    IdentityProvider,
    MailDomain,
    ProviderIdentity,
    SignInProtocol,
)
from apps.tenancy.models.tokens import Token, TokenScope

__all__ = [
    "SESSION_SALT",
    "AuditEntry",
    "AuditPoint",
    "Confirmation",
    "FailedWork",
    "IdentityProvider",
    "Invitation",
    "KeptAnswer",
    "MailDomain",
    "MemberRole",
    "Membership",
    "Organization",
    "OwnedManager",
    "OwnedModel",
    "OwnedQuerySet",
    "PageChange",
    "ProviderIdentity",
    "RefusalCount",
    "SignInProtocol",
    "Token",
    "TokenScope",
    "Topic",
    "User",
    "new_reference",
]
