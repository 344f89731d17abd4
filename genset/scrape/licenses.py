"""Flickr's licences by id, as flickr.photos.licenses.getInfo answered in 2025."""

from typing import NamedTuple


class License(NamedTuple):
    """A licence's name and the address of its text."""

    name: str
    url: str


_CC = "https://creativecommons.org/"

FLICKR: dict[int, License] = {
    0: License(
        "All Rights Reserved",
        "https://www.flickrhelp.com/hc/en-us/articles/"
        "10710266545556-Using-Flickr-images-shared-by-other-members",
    ),
    1: License("CC BY-NC-SA 2.0", f"{_CC}licenses/by-nc-sa/2.0/"),
    2: License("CC BY-NC 2.0", f"{_CC}licenses/by-nc/2.0/"),
    3: License("CC BY-NC-ND 2.0", f"{_CC}licenses/by-nc-nd/2.0/"),
    4: License("CC BY 2.0", f"{_CC}licenses/by/2.0/"),
    5: License("CC BY-SA 2.0", f"{_CC}licenses/by-sa/2.0/"),
    6: License("CC BY-ND 2.0", f"{_CC}licenses/by-nd/2.0/"),
    7: License("No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    8: License("United States Government Work", "https://www.usa.gov/government-copyright"),
    9: License("Public Domain Dedication (CC0)", f"{_CC}publicdomain/zero/1.0/"),
    10: License("Public Domain Mark", f"{_CC}publicdomain/mark/1.0/"),
    11: License("CC BY 4.0", f"{_CC}licenses/by/4.0/"),
    12: License("CC BY-SA 4.0", f"{_CC}licenses/by-sa/4.0/"),
    13: License("CC BY-ND 4.0", f"{_CC}licenses/by-nd/4.0/"),
    14: License("CC BY-NC 4.0", f"{_CC}licenses/by-nc/4.0/"),
    15: License("CC BY-NC-SA 4.0", f"{_CC}licenses/by-nc-sa/4.0/"),
    16: License("CC BY-NC-ND 4.0", f"{_CC}licenses/by-nc-nd/4.0/"),
}


def flickr_license(number: int) -> License:
    """The licence with this id; one that Flickr added since grants nothing that we know of."""
    unknown = License(f"Flickr licence {number}", "https://www.flickr.com/help/terms")
    return FLICKR.get(number, unknown)
