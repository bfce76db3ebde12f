"""Tables and figures written to files."""
