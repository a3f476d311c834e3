"""Understands what people write at the decision before them: plain language in, one typed `Meaning` out."""
