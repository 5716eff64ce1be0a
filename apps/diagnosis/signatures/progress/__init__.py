"""What lines of progress tell as numbers: the pace of each voice, and points of the run."""
