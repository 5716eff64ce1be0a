"""What GPUs, adapters, disks and nodes measured, minute by minute, kept for some hours."""
