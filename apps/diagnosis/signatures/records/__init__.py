"""One module per kind of record that takes several lines; each holds one frozen RecordKind."""
