"""An agent that finds duplicate files and asks which to keep. It deletes nothing."""
