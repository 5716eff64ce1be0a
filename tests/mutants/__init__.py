"""Would a test notice? Small faults put into running code one by one, each met by its tests."""
