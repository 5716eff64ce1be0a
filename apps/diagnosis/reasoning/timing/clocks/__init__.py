"""Step 3: how far each voice's clock is off, and by how much that may be wrong.

Read `voices` for the values, `estimate` for the order: years, zones, boots, offsets.
"""
