"""Recovery inside running jobs: what is told of it, kept in bounded blocks, read as one run."""
