"""Floor 0: the words everything is said in. Values only: no input, no output, no decisions."""
