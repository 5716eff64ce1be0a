"""Would a test notice? Small faults put into the code one by one, each run against its tests."""
