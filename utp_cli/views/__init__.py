"""Floor 7: values → text. Pure: nothing here reads, writes, or decides."""
