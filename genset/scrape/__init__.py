"""From keywords to candidates: search, download, check, store."""
