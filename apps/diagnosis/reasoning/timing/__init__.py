"""When: clocks and zones, phases of a session, who stopped first, when it broke and ended."""
