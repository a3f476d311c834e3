"""felix: a play-by-e-mail server for the card game Felix: The Cat in the Sack."""

__version__ = "0.1.0"
