"""Between joining and ranking: who can't reach a peer is the victim of the peer that it names."""

from apps.diagnosis.reasoning.observations.named_peers.blamed_peers import at_odds, blamed, is_tie

__all__ = ["at_odds", "blamed", "is_tie"]
