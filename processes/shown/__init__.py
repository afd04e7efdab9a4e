"""What pages show: rows and values made ready, so that templates only place them."""
