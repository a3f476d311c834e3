"""Reads a mail: from its bytes to its lines, and to the orders among them."""
