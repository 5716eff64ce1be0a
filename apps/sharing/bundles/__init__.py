"""Evidence bundles: what a holder gives named recipients of an incident, as one file that is sealed."""
