"""Histories before they are sent: what a provider will refuse in them, and the smallest rewrite that it takes."""
