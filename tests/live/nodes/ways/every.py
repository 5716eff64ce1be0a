"""All ways."""

from tests.live.nodes.ways import (
    fourth_host,
    fourth_network,
    fourth_programs,
    fourth_storage,
    jax_processes,
    mpi_ranks,
    other_host,
    other_network,
    other_programs,
    other_storage,
    ray_workers,
    torch_frameworks,
    torch_host,
    torch_network,
    torch_processes,
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
    *torch_processes.WAYS,
    *other_host.WAYS,
    *other_network.WAYS,
    *other_programs.WAYS,
    *other_storage.WAYS,
    *fourth_host.WAYS,
    *fourth_network.WAYS,
    *fourth_storage.WAYS,
    *fourth_programs.WAYS,
)
