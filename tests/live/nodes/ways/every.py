"""All ways."""

from tests.live.nodes.ways import (
    jax_processes,
    mpi_ranks,
    ray_workers,
    torch_frameworks,
    torch_host,
    torch_network,
    torch_storage,
)

WAYS = (
    *torch_network.WAYS,
    *torch_storage.WAYS,
    *torch_host.WAYS,
    *torch_frameworks.WAYS,
    *jax_processes.WAYS,
    *mpi_ranks.WAYS,
    *ray_workers.WAYS,
)
