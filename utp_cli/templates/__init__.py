"""Floor 2: foreign templates, rendered without trusting them."""
