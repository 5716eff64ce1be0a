"""Lightning with data-parallel processes over gloo: `--fault` says how it breaks."""
# mypy: ignore-errors
# ruff: noqa: TID251, T201, N812, SIM300  a program of its own, written as such programs are

import argparse
import os
import time
from datetime import timedelta
from pathlib import Path

import lightning as L
import torch
from breaking import break_by, hoard, read_rows
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.strategies import DDPStrategy

RANK = int(os.environ.get("RANK", "0"))


class Rows(torch.utils.data.Dataset):
    """Random rows; one may be broken, and the reader of one rank slow."""

    def __init__(self, asked):
        self.asked = asked

    def __len__(self):
        return 8 * self.asked.steps * int(os.environ.get("WORLD_SIZE", "1"))

    def __getitem__(self, index):
        if self.asked.fault == "slow-read" and RANK == self.asked.on and index > 320:
            time.sleep(60)
        if self.asked.fault == "reader" and RANK == self.asked.on and index > 200:
            raise ValueError(f"sample {index} has no field 'tokens'")
        if self.asked.data:
            read_rows(self.asked.data, index)
        width = 12 if self.asked.fault == "ragged" and index == 171 else 16
        return torch.randn(width)


class Model(L.LightningModule):
    """One layer."""

    def __init__(self, asked):
        super().__init__()
        self.asked, self.layer = asked, torch.nn.Linear(16, 16)

    def training_step(self, batch, index):
        Path(f"rank{RANK}.pid").write_text(str(os.getpid()))
        time.sleep(0.2)
        loss = self.layer(batch).square().mean()
        if self.asked.fault == "nan" and index >= 12:
            loss = loss * float("nan")
        if index % 5 == 0:
            print(f"rank {RANK} batch {index} loss {loss.item():.4f}", flush=True)
        if self.asked.fault == "skips" and RANK == self.asked.on and index == 12:
            return None
        if RANK == self.asked.on and index == 12:
            break_by(self.asked.fault)
        if self.asked.fault == "memory" and RANK == self.asked.on:
            hoard()
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--save", default="")
    parser.add_argument("--data", default="")
    parser.add_argument("--resume", default=None)
    parser.add_argument("--workers", type=int, default=0)
    asked = parser.parse_args()
    saver = ModelCheckpoint(dirpath=asked.save, every_n_train_steps=10, save_top_k=-1)
    trainer = L.Trainer(
        accelerator="cpu",
        devices=1,
        num_nodes=asked.nodes,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=15)),
        max_epochs=1,
        logger=False,
        callbacks=[saver] if asked.save else [],
        enable_checkpointing=bool(asked.save),
        enable_progress_bar=False,
        detect_anomaly=asked.fault == "nan",
        use_distributed_sampler=asked.fault != "ragged",
    )
    rows = torch.utils.data.DataLoader(Rows(asked), batch_size=8, num_workers=asked.workers)
    trainer.fit(Model(asked), rows, ckpt_path=asked.resume)


if __name__ == "__main__":
    main()
