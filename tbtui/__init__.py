"""tbtui: everything a TensorBoard log directory holds, in a terminal, live, over SSH."""

__version__ = "0.1.0"
