"""What is to be done, who is asked for what, and what that would show."""

from collections.abc import Mapping

from apps.wording import forms
from apps.wording.speaker import Wording, text
from apps.wording.translatable import gettext_noop

ADVICE: Mapping[str, Wording] = {
    "provide": text(gettext_noop("Provide the %(source)s, to %(would)s"), source=forms.source),
    "drain-p2p-asked": text(
        gettext_noop("Drain peer-to-peer traffic of the GPU: its driver asks for that (Xid 154)")
    ),
    "drain-reset-asked": text(
        gettext_noop("Drain the GPU, then reset it: its driver asks for that (Xid 154)")
    ),
    "reboot-asked": text(gettext_noop("Reboot the node: the GPU's driver asks for that (Xid 154)")),
    "reboot-needed": text(
        gettext_noop("Reboot the node: the GPU's driver says that nothing else helps")
    ),
    "reset-asked": text(gettext_noop("Reset the GPU: its driver asks for that (Xid 154)")),
    "shows-host-error": text(
        gettext_noop("show a GPU, link, memory or file system error of the host that stopped first")
    ),
    "shows-first-stop": text(
        gettext_noop("show which rank stopped first, and what each of them printed")
    ),
    "says-who-ended-it": text(gettext_noop("say whether the scheduler or a person ended the job")),
    "shows-port-errors": text(gettext_noop("show port errors on the path between the hosts")),
    "shows-odd-member": text(gettext_noop("show which member differed from its peers")),
    "shows-collectives": text(gettext_noop("show the collective each rank was in")),
    "says-when-it-ran": text(gettext_noop("say when the session ran, and on which hosts")),
    "says-when-that-was": text(
        gettext_noop("say when that was, read with its times (dmesg -T, journalctl -k)")
    ),
    "says-if-running": text(gettext_noop("say whether it still runs")),
    "says-if-storage-used": text(
        gettext_noop("say whether the session uses the storage that a line of that time tells of")
    ),
    "says-if-network-used": text(
        gettext_noop(
            "say whether the session uses the part of the network that a line of that time tells of"
        )
    ),
}
