"""TFRecord framing: where whole records lie in a file, their checksums, and how to carry on after damage."""
