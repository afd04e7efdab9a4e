"""Typed answers: which schemas a question may bring, how they look as a form, and whether an
answer fits. Pure.
"""
