"""Options of commands that start quickly: importing them imports nothing else."""
