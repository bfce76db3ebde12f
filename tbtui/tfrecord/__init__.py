"""Read TFRecord files: find complete records, verify their checksums, and resume after damage."""
