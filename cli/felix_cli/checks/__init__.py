"""The checks of the doctor: this machine, the database, the ways in and out, and a message to itself."""
