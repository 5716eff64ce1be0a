"""Which of the format strings that drivers and libraries print are known to the signatures."""
