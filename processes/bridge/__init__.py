"""Journals as files: a folder watched live, and runs moved between machines."""
