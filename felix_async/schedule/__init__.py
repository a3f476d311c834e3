"""What time brings: deadlines and reminders that are due, outages, old mail."""
