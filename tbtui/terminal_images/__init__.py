"""Images in a terminal: from the bytes of a file to cells, kitty graphics or sixels."""
