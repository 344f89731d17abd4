"""From keywords to candidates: search, download, check, store.

- `fetch`: how a host is called: how fast, how long, how often again; a photo's original, checked.
- `sources`: where photos are searched, one module each.
- `keywords`: what a workspace searches with, and what each query brings.
- `collect`: which photos a class gets, and the scraper that gets them.
- `imports`: other ways in: a folder of one's own photos, ImageNetV2's lists.
- `upkeep`: what comes later: ask after photos, take them out, rebuild a set, find duplicates.
"""
