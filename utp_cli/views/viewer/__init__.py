"""Sessions to look through: a list of exchanges, and the one that is chosen. Needs the extra `tui`."""
