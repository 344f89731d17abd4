"""What comes after a scrape: ask after photos, take them out, rebuild a set, find duplicates."""
