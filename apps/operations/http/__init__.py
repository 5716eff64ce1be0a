"""What holds for every request between the edge and the views."""
