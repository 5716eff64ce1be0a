"""What changed for open pages: written with the change, numbered in order of commits, replayed."""
