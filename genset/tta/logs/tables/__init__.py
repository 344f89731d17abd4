"""Tables of epochs, as training programs and experiment trackers write them: CSV, TSV, Parquet."""
