"""What is true of providers, servers and models: data with a source and a date, read by every command."""
