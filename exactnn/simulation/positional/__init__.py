"""The fast exact engine: states as positional numerals of which a step reads and writes only the leading digits."""
