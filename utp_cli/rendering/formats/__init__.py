"""One file a provider: what it takes, as data, and the few functions that put values into place."""
