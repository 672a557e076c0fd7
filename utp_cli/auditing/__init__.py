"""Tools in, findings and scores out: the audit of tool definitions."""
