"""What other programs load of utp: a plugin for pytest."""
