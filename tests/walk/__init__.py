"""A newcomer's walk through the whole product, over its real doors."""
