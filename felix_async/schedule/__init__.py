"""The schedule: deadlines and reminders that are due, outages, old mail."""
