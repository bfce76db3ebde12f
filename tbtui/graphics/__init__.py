"""What the terminal can show, and pictures turned into cells or escape strings."""
