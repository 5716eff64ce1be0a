"""What is sent and taken, one module per subject."""
