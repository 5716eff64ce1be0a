"""Export formats, one module each: values → bytes. Adding one touches nothing else."""
