"""Decode records of event files: protobuf classes, tensors, scalar columns, and upgrades of old formats."""
