"""Why what was told did not reach its receiver."""

from collections.abc import Mapping

from apps.wording.speaker import Speaker, Values, Wording, made, text
from apps.wording.translatable import gettext_noop


def _answered(values: Values, speaker: Speaker) -> str:
    return f"HTTP {values['status']} {speaker.value(values['answer'])}".strip()


DELIVERIES: Mapping[str, Wording] = {
    "answered": made(_answered, "status", "answer"),
    "redirect-not-followed": text(gettext_noop("redirects are not followed")),
    "outbound-refused": text(
        gettext_noop(
            "the portal does not go there: the address is not public, its port is not one for "
            "metrics or webhooks, or its name is unknown; whoever runs the portal reads in its log "
            "which setting opens it, and starts it again; then a private address needs its network "
            "in “Private networks it may lead to” as well (REST: `allowed_networks`)"
        )
    ),
    "no-answer": text(gettext_noop("no answer within %(seconds)s s, or none that could be used")),
    "answer-late": text(gettext_noop("no answer within %(seconds)s s")),
    "answer-too-slow": text(gettext_noop("its answer took longer than a turn may")),
    "certificate-refused": text(
        gettext_noop("the TLS certificate is not accepted; check the CA or the host name")
    ),
    "connection-broken": text(gettext_noop("no connection, or it broke")),
    "message-unmade": text(gettext_noop("it could not be made (%(where)s)")),
    "email-unwritten": text(gettext_noop("it could not be written (%(where)s)")),
    "mail-server-away": text(gettext_noop("mail server: %(answer)s")),
    "not-an-email-address": text(gettext_noop("nothing can be sent to this address; correct it")),
    "no-email-address": text(gettext_noop("no e-mail address")),
    "address-unconfirmed": text(gettext_noop("this address is not confirmed yet")),
    "no-member-now": text(gettext_noop("no member any more")),
    "no-party-now": text(gettext_noop("no party of it any more")),
    "webhook-removed": text(gettext_noop("the webhook was removed")),
}
