"""What people paste (logs, tracebacks, SDK objects, transcripts) → the documents in it, with the way back."""
