"""What the terminal can show: from the bytes of a picture to cells or escape sequences."""
