"""Where events, and all that is owed because of them, are kept: one contract, two stores."""
