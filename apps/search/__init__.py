"""Finding things by their names, and views of lists that people keep."""
