"""What a report says: figures and tables of plain values, the same for whoever may read it."""
