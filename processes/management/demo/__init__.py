"""A believable inbox for a first look: told once, through the same services as everything else."""
