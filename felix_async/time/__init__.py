"""Time as people use it: zones, quiet hours, calendars, and times in words."""
