"""Export formats, one module each: rows → bytes. Adding one touches nothing else."""
