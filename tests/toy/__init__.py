"""A small Django project behind the real front, for tests of the front alone."""
