"""What servers, providers and frameworks print when a tool call fails: one entry a line, in JSON Lines files.

`entries.py` says what an entry holds, `finder.py` finds entries in a text.
"""
