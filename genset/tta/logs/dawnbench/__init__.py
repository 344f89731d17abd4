"""DAWNBench's entries: ``NAME.json`` with ``NAME.tsv`` beside it, or ``NAME.json`` alone."""
