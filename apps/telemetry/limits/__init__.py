"""How much may come in and how long reading may take: storage, turns, processor time."""
