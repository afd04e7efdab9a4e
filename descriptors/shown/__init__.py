"""Read models of the pages about sleeping agents."""
