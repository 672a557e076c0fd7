"""Answers and replays as one self-contained HTML page: no network, readable without JavaScript, escaped throughout.

All HTML stands in `templates/`, which escape every value; the modules here only work out what is shown.
"""
