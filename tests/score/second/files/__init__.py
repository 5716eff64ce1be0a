"""How what was said comes into files: collectors, their clocks and what they lose."""
