"""What a vendor advises on an error code, and what the code does to programs."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from apps.diagnosis.model import Diagnosis
from apps.diagnosis.noticed_codes import NoticedCode, noticed_in
from apps.wording import ENGLISH, Speaker
from apps.wording.translatable import gettext_noop

CODE_NAMES = {"xid": "Xid", "sxid": "SXid"}
ADVICE = {
    "as-the-line-says": gettext_noop("Act by what the line says"),
    "check-power": gettext_noop("Check the power of the board"),
    "check-uvm": gettext_noop("Check how the program uses managed memory"),
    "contact-support": gettext_noop("Ask the vendor"),
    "drain-peers": gettext_noop("Drain the GPUs that it talks to, then reset them"),
    "follow-previous": gettext_noop("Act by the Xid before it"),
    "ignore": gettext_noop("Nothing to do at once"),
    "reboot-node": gettext_noop("Reboot the node"),
    "recover-fabric": gettext_noop("Recover the NVLink fabric"),
    "reset-fabric": gettext_noop("Reset all GPUs and switches of the node"),
    "reset-gpu": gettext_noop("Reset the GPU"),
    "reset-later": gettext_noop("Reset the GPU at the next pause; nothing has to stop for it"),
    "restart-app": gettext_noop("Start the program again"),
    "restart-vm": gettext_noop("Start the virtual machine again"),
    "update-software": gettext_noop("Update the driver and the firmware"),
}
STOPS = {
    True: gettext_noop("the programs that use the part end"),
    False: gettext_noop("programs go on"),
    None: gettext_noop("the programs that use the part may end"),
}


def advice_text(*, advice: str, speaker: Speaker) -> str:
    """Return a vendor's advice in the speaker's language."""
    return speaker.translate(ADVICE.get(advice, ADVICE["contact-support"]))


def stops_text(*, stops_job: bool | None, speaker: Speaker) -> str:
    """Return what a code does to programs in the speaker's language."""
    return speaker.translate(STOPS[stops_job])


def code_json(*, code: NoticedCode) -> dict[str, Any]:
    """Return what a code is and what its vendor's table says of it, as it is published."""
    return {
        "kind": code.kind,
        "code": code.code,
        "name": code.name,
        "severity": code.severity.value,
        "advice": code.advice,
        "advice_text": advice_text(advice=code.advice, speaker=ENGLISH),
        "stops_job": code.stops_job,
    }


def noticed_codes_json(
    *, diagnosis: Diagnosis, at: Callable[[datetime | None], str | None]
) -> list[dict[str, Any]]:
    """Return the codes that were noticed where no cause is known, with part, time and place."""
    return [
        {
            **code_json(code=code),
            "device": dict(code.device) if code.device else None,
            "host": code.host,
            "count": moment.count,
            "at": at(moment.at),
            "source": moment.source,
            "line": moment.line,
        }
        for moment, code in noticed_in(diagnosis=diagnosis)
    ]
