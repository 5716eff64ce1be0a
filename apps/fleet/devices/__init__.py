"""Which part sat where, and when: observations, their history, look-ups."""
