"""What each order of a mail does, by what it is about."""
