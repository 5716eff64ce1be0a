"""Training of several JAX processes on processors: `jax_train.py COORDINATOR COUNT INDEX`."""
# mypy: ignore-errors
# ruff: noqa: TID251, PLC0415, PLR0124, C901, PLR0912  JAX is imported late, NaN is no number

import argparse
import logging
import os
import socket
import sys
import time
from pathlib import Path

import jax
from breaking import break_by, hoard, read_rows, write_block

jax.config.update("jax_cpu_collectives_implementation", "gloo")
log = logging.getLogger("train")


def main():
    """Train for so many steps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("coordinator")
    parser.add_argument("count", type=int)
    parser.add_argument("index", type=int)
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--heartbeat", type=int, default=10)
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--at", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--save", default="")
    parser.add_argument("--data", default="")
    asked = parser.parse_args()
    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stderr,
        format=f"%(asctime)s %(levelname)s process {asked.index}: %(message)s",
    )
    jax.distributed.initialize(
        asked.coordinator,
        asked.count,
        asked.index,
        initialization_timeout=asked.timeout,
        heartbeat_timeout_seconds=asked.heartbeat,
    )
    Path(f"rank{asked.index}.pid").write_text(str(os.getpid()))
    log.info("process %d of %d on %s is ready", asked.index, asked.count, socket.gethostname())
    train(asked)
    log.info("training finished")


def train(asked):
    """Sum gradients over all processes, step by step."""
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(jax.devices(), ("data",))
    rows = NamedSharding(mesh, PartitionSpec("data"))

    @jax.jit
    def loss_of(weights, batch):
        return jnp.mean((batch @ weights) ** 2)

    step_of = jax.jit(jax.value_and_grad(loss_of))
    weights = jnp.ones((16,))
    for step in range(1, asked.steps + 1):
        mine = jnp.ones((4, 16)) * (step % 7)
        if asked.fault == "shape" and step == asked.at and asked.on == asked.index:
            mine = mine[:, :12]
        if asked.data:
            read_rows(asked.data, step)
        if asked.fault == "memory" and asked.on == asked.index:
            hoard()
        if step == asked.at and asked.on == asked.index:
            break_by(asked.fault)
        if asked.fault == "nan" and step == asked.at:
            mine = mine * float("nan")
        batch = jax.make_array_from_process_local_data(rows, mine)
        loss, grads = step_of(weights, batch)
        weights = weights - 0.001 * grads
        value = float(loss)
        if value != value:
            raise FloatingPointError(f"loss is nan at step {step}")
        if asked.index == 0 and step % 5 == 0:
            log.info("step %d/%d loss %.4f", step, asked.steps, value)
        if asked.save and asked.index == 0 and step % 10 == 0:
            write_block(asked.save, step)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
