"""What a mail says: its sections, each with its text and its HTML."""
