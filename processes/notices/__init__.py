"""Telling the outside that something needs a person: what is said, and how it gets there."""
