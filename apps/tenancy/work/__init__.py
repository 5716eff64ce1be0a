"""Work on the workers: asked for once, held by one, in fair shares, set aside where it fails."""
