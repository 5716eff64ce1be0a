"""The one that happens while somebody is watching: a GPU is lost, its peers notice at once."""

from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.faults.xid79_pcie import lose_gpu
from apps.simulator.world.story import FaultOutcome, FaultScene


def _strike(scene: FaultScene) -> FaultOutcome:
    return lose_gpu(scene=scene, scenario="live", storm_seconds=6.0)


LIVE = SimulatedFault(name="live", strike=_strike)
