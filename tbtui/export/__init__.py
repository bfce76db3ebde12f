"""What is stored or shown, as text for other programs. Imports no Textual."""
