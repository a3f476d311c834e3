"""A replay as one HTML file: it needs no network, tells the game without scripts, and shows it with them."""
