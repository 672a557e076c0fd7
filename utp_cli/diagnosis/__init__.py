"""Floor 4: a result → why it went wrong, and what to change."""
