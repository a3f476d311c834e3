"""Reads a message: from its bytes to its lines, and to the orders among them."""
