"""Many simulated agents that sleep on timers, questions and signals, and the two workers that
wake them.
"""
