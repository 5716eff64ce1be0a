"""Protocol buffers without generated code: tables of fields, bounded before objects are made."""
