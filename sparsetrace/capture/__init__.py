"""Code as people write it: what is exchanged while a trace runs, because no protocol reaches it."""
