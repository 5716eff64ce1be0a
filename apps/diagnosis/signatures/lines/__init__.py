"""What a line shows before it is matched: who told it, whether it is a flood, what it lost."""
