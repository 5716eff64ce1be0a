"""How causes of the network are spoken of."""

from collections.abc import Mapping

from apps.wording.phrase import PROGRAM_IS_FINE, CausePhrase
from apps.wording.translatable import gettext_noop

NETWORK: Mapping[str, CausePhrase] = {
    "link-down": CausePhrase(
        name=gettext_noop("Link down"),
        clause=gettext_noop("the network link of {culprit} went down"),
        plain=gettext_noop("a network link went down"),
        comfort=PROGRAM_IS_FINE,
    ),
    "rdma-retry-exceeded": CausePhrase(
        name=gettext_noop("RDMA retries exhausted"),
        clause=gettext_noop("transfers of {culprit} got no answer over the fabric"),
        plain=gettext_noop("transfers got no answer over the fabric"),
        comfort=PROGRAM_IS_FINE,
    ),
    "roce-gid": CausePhrase(
        name=gettext_noop("Wrong RoCE address index"),
        clause=gettext_noop("{culprit} uses a wrong RoCE address index"),
        plain=gettext_noop("a wrong RoCE address index is in use"),
        comfort=gettext_noop("This is configuration: it comes back until it is set right."),
    ),
    "rdma-registration": CausePhrase(
        name=gettext_noop("RDMA memory registration refused"),
        clause=gettext_noop("{culprit} could not register memory for RDMA"),
        plain=gettext_noop("memory could not be registered for RDMA"),
        comfort=gettext_noop("This is configuration: it comes back until it is set right."),
    ),
    "fabric-congestion": CausePhrase(
        name=gettext_noop("Fabric congestion"),
        clause=gettext_noop("the fabric around {culprit} was congested or set up unequally"),
        plain=gettext_noop("the fabric was congested or set up unequally"),
        comfort=PROGRAM_IS_FINE,
    ),
    "p2p-topology": CausePhrase(
        name=gettext_noop("Peer-to-peer path broken"),
        clause=gettext_noop("GPUs of {culprit} can't reach each other directly"),
        plain=gettext_noop("GPUs can't reach each other directly"),
        comfort=gettext_noop("This is how the host is set up: it comes back until it is changed."),
    ),
    "socket-failure": CausePhrase(
        name=gettext_noop("TCP connection lost"),
        clause=gettext_noop("a TCP connection to {culprit} was refused or lost"),
        plain=gettext_noop("a TCP connection was refused or lost"),
        comfort=gettext_noop("Both programs were alive when it happened."),
    ),
    "wrong-interface": CausePhrase(
        name=gettext_noop("Wrong network interface"),
        clause=gettext_noop("{culprit} chose a network address that the others can't reach"),
        plain=gettext_noop("a network address was chosen that others can't reach"),
        comfort=gettext_noop("This is configuration: it comes back until it is set right."),
    ),
    "rendezvous-unreachable": CausePhrase(
        name=gettext_noop("Meeting point unreachable"),
        clause=gettext_noop("ranks could not reach the meeting point on {culprit}"),
        plain=gettext_noop("ranks could not reach their meeting point"),
        comfort=gettext_noop("No training had begun, so no progress was lost."),
    ),
    "efa-plugin": CausePhrase(
        name=gettext_noop("Fabric plug-in missing"),
        clause=gettext_noop("the fabric plug-in of {culprit} is missing or set up wrongly"),
        plain=gettext_noop("a fabric plug-in is missing or set up wrongly"),
        comfort=gettext_noop("This is installation: it comes back until it is repaired."),
    ),
}
