"""What is usual for a row, learnt over hours and days."""
