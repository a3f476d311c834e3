"""Words in and out: the grammar of orders, dates, clock terms, and the words of each language."""
