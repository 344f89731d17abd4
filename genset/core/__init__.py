"""Words of strangers made safe, addresses, tables, and numbers as people read them."""
