"""Mail in: bytes to a row, a row to orders, orders to the game, and an answer that accounts for each line."""
