"""Collecting a job's logs, with stand-ins for Slurm, ssh and nvidia-smi on the path."""
