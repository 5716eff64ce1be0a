"""What is sent and taken: rooms named like those of the views."""
