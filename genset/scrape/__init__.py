"""From keywords to candidates: search, download, check, store; and what comes after.

- `queries`: what a workspace searches with.
- `plan`, `search`, `state`: what is wanted, which page is next, how far a class is.
- `estimate`: what a scrape takes, what each query brings, which photos are contested.
- `scraper`, `work`, `results`, `locks`, `side_by_side`: search and download, and store what came.
- `add`, `imagenetv2`, `opt_out`: other ways in, and who is kept out.
- `refresh`, `removal`, `pull`, `near_duplicates`: ask after photos, take them out, rebuild
  a set, find photos that look alike.
"""
