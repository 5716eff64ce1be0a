"""What a metric means: one TOML file an exporter, and series as frames on a grid."""
