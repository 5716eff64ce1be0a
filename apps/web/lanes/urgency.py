"""Which entries win their place, and how each is drawn."""

# The order in which labels win their place.
URGENCY = {
    "initiating": 0,
    "confirmation": 1,
    "cascade": 2,
    "recovery": 3,
    "teardown": 4,
    "context": 5,
    "progress": 6,
}


CALM = {"context", "progress"}
TREATMENTS = {
    "initiating": "initiating",
    "confirmation": "confirms",
    "cascade": "follows",
    "teardown": "follows",
    "recovery": "confirms",
    "progress": "context",
    "context": "context",
}
