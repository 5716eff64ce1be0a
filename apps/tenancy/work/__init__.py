"""Work on the workers: asked for once, in fair shares, set aside where it fails."""
