"""Evidence bundles: what a holder gives named recipients of an incident, as one sealed file."""
