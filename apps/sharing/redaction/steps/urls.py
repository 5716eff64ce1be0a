"""Addresses of pages and stores: who asks and what for goes; scheme, port and depth stay."""

from typing import Final

from apps.sharing.redaction.draft import Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.pseudonyms import is_address
from apps.sharing.redaction.step_patterns import StepPattern
from apps.sharing.redaction.steps.hosts import is_name_of_host
from apps.sharing.redaction.steps.paths import hide_path

URL: Final = StepPattern(
    r"""\b([A-Za-z][A-Za-z0-9+.-]{0,20})(://)((?:[^\s/?#"'<>@]*@)?)(\[[0-9A-Fa-f:.]{2,45}\]|[^\s/?#"'<>\\,;)\[\]|]*?)((?::\d{1,5})?)(/[^\s?#"'<>\\,;)\]|]*)?(\?[^\s"'<>]*)?(#[^\s"'<>]*)?(?:$|[\s/?#"'<>\\,;)\]|])"""
)


def hide_urls(hiding: Hiding) -> None:
    """Hide hosts, folders, people, passwords and questions in addresses."""
    if b"://" not in hiding.draft.data:
        return
    hiding.draft.replace(URL, lambda found: _hidden(hiding, found))


def _hidden(hiding: Hiding, found: Groups) -> bytes:
    scheme, user, host, port, path, query, fragment = (found[at] for at in (1, 3, 4, 5, 6, 7, 8))
    length = sum(map(len, (scheme, found[2], user, host, port, path, query, fragment)))
    rest = found[0][length:]  # what ends it
    is_manual = hiding.vocabulary.is_manual(hiding.draft.shown(host))
    hides_path = hiding.profile.hides(Kind.PATH) and not is_manual
    if scheme.decode().lower() in hiding.vocabulary.bucket_schemes and hides_path:
        host, path = hide_path(hiding, host + path), b""
    else:
        host = _host(hiding, host)
        path = hide_path(hiding, path) if hides_path and path.strip(b"/") else path
    if user:
        user = hiding.secret() + b"@"
    hides_all = hiding.profile.hides(Kind.PATH)  # else what gives access is hidden by its name
    if query and hides_all:
        query = b"?" + hiding.draft.hidden(Kind.SECRET, CUT_MARK)
    if fragment and hides_path:
        fragment = b"#" + hiding.draft.hidden(Kind.SECRET, CUT_MARK)
    return (
        hiding.draft.sealed(b"".join((scheme, b"://", user, host, port, path, query, fragment)))
        + rest
    )


def _host(hiding: Hiding, host: bytes) -> bytes:
    name = hiding.draft.shown(host)
    address = name.strip("[]")
    if is_address(address):
        hidden = hiding.made(Kind.ADDRESS, address.encode(), hiding.pseudonyms.address(address))
        return host.replace(address.encode(), hidden) if hidden else host
    is_name = is_name_of_host(hiding, name) and "[" not in name
    return (hiding.mark(Kind.HOST, host) if is_name else None) or host
