"""What the bytes of one record say: protobuf classes, tensors, and old formats brought up to date."""
