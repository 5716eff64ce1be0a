"""How hosts use their NFS mounts: rollups of metrics, saves and loads in them, ratings."""
