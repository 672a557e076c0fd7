"""Floor 2: provider bytes → events, in words that no format owns."""
