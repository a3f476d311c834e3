"""What the doctor looks at: this machine, the database, the ways in and out, and a mail to itself."""
