"""Floor 8: one file a command. Options → core → view → exit code; `app.COMMANDS` lists them."""
