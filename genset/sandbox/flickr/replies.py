"""How Flickr describes a photo, with the types of its recorded replies.

Numbers come as strings or as numbers, each field in its own way, and fields may be missing.
Addresses of images start with `base`.
"""

from typing import Any

from genset.sandbox.collection.photos import Photo
from genset.sandbox.flickr.sizes import SERVER, SIZES, own_size, path_of, secret_of, sizes_of

Answer = dict[str, Any]

_LICENSES = (
    (
        0,
        "All Rights Reserved",
        "https://www.flickrhelp.com/hc/en-us/articles/"
        "10710266545556-Using-Flickr-images-shared-by-other-members",
    ),
    (4, "CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/"),
    (6, "CC BY-ND 2.0", "https://creativecommons.org/licenses/by-nd/2.0/"),
    (3, "CC BY-NC-ND 2.0", "https://creativecommons.org/licenses/by-nc-nd/2.0/"),
    (2, "CC BY-NC 2.0", "https://creativecommons.org/licenses/by-nc/2.0/"),
    (1, "CC BY-NC-SA 2.0", "https://creativecommons.org/licenses/by-nc-sa/2.0/"),
    (5, "CC BY-SA 2.0", "https://creativecommons.org/licenses/by-sa/2.0/"),
    (7, "No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    (8, "United States Government Work", "https://www.usa.gov/government-copyright"),
    (9, "Public Domain Dedication (CC0)", "https://creativecommons.org/publicdomain/zero/1.0/"),
    (10, "Public Domain Mark", "https://creativecommons.org/publicdomain/mark/1.0/"),
    (11, "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    (12, "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    (13, "CC BY-ND 4.0", "https://creativecommons.org/licenses/by-nd/4.0/"),
    (14, "CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
    (15, "CC BY-NC-SA 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"),
    (16, "CC BY-NC-ND 4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/"),
)


def listed(photo: Photo, extras: set[str], base: str) -> Answer:
    """A photo as a search lists it: what `extras` does not ask for is not there."""
    own = photo.picture.pixels if own_size(photo) == "o" else None
    optional: dict[str, Answer] = {
        "description": {"description": {"_content": ""}},
        "license": {"license": str(photo.license)},
        "date_upload": {"dateupload": str(photo.posted)},
        "date_taken": _taken(photo),
        "owner_name": {"ownername": photo.owner_name},
        "original_format": _original(photo),
        "tags": {"tags": photo.tags},
        "o_dims": {"o_width": str(own[0]), "o_height": str(own[1])} if own else {},
        "views": {"views": "0"},
        "media": {"media": "photo", "media_status": "ready"},
        "path_alias": {"pathalias": None},
    }
    answer: Answer = {
        "id": photo.id,
        "owner": photo.owner,
        "secret": secret_of(photo),
        "server": SERVER,
        "farm": 66,
        "title": photo.title,
        "ispublic": 1,
        "isfriend": 0,
        "isfamily": 0,
    }
    for extra, fields in optional.items():
        if extra in extras:
            answer |= fields
    for key, pixels in sizes_of(photo).items():
        if f"url_{key}" in extras:
            answer[f"url_{key}"] = base + path_of(photo, key)
            if pixels:
                width, height = SIZES[key].spell(pixels)
                answer |= {f"height_{key}": height, f"width_{key}": width}
    return answer


def info(photo: Photo) -> Answer:
    """Everything about a photo, as getInfo gives it."""
    taken = {key.removeprefix("date"): value for key, value in _taken(photo).items()}
    tags = [
        {
            "id": f"{photo.id}-{place}",
            "author": photo.owner,
            "raw": tag,
            "_content": tag,
            "machine_tag": 0,
        }
        for place, tag in enumerate(photo.tags.split(), start=1)
    ]
    return {
        "photo": {
            "id": photo.id,
            "secret": secret_of(photo),
            "server": SERVER,
            "farm": 66,
            "dateuploaded": str(photo.posted),
            "isfavorite": 0,
            "license": str(photo.license),
            "safety_level": "0",
            "rotation": 0,
            **_original(photo),
            "owner": {
                "nsid": photo.owner,
                "username": photo.owner_name,
                "realname": "",
                "location": "",
                "iconserver": "0",
                "iconfarm": 0,
                "path_alias": None,
            },
            "title": {"_content": photo.title},
            "description": {"_content": ""},
            "visibility": {"ispublic": 1, "isfriend": 0, "isfamily": 0},
            "dates": {"posted": str(photo.posted), **taken, "lastupdate": str(photo.posted)},
            "views": "0",
            "editability": {"cancomment": 0, "canaddmeta": 0},
            "publiceditability": {"cancomment": 1, "canaddmeta": 0},
            "usage": {"candownload": 1, "canblog": 0, "canprint": 0, "canshare": 1},
            "comments": {"_content": "0"},
            "notes": {"note": []},
            "people": {"haspeople": 0},
            "tags": {"tag": tags},
            "urls": {"url": [{"type": "photopage", "_content": _photo_page(photo)}]},
            "media": "photo",
        }
    }


def sizes(photo: Photo, base: str) -> Answer:
    """A photo's sizes, smallest first, as getSizes gives them."""
    rows: list[Answer] = []
    for key, pixels in sizes_of(photo).items():
        known = zip(("width", "height"), SIZES[key].spell(pixels), strict=True) if pixels else ()
        rows.append(
            {
                "label": SIZES[key].label,
                **dict(known),
                "source": base + path_of(photo, key),
                "url": f"{_photo_page(photo)}sizes/{key}/",
                "media": "photo",
            }
        )
    return {"sizes": {"canblog": 0, "canprint": 0, "candownload": 1, "size": rows}}


def licenses() -> Answer:
    """The licences that a photo may have, as licenses.getInfo gives them."""
    rows = [{"id": str(number), "name": name, "url": url} for number, name, url in _LICENSES]
    return {"licenses": {"license": rows}}


def _taken(photo: Photo) -> Answer:
    """When a photo was taken; Flickr puts the posting's time where that is unknown, and says so."""
    return {
        "datetaken": photo.taken or photo.posted_text,
        "datetakengranularity": "0",
        "datetakenunknown": "0" if photo.taken else "1",
    }


def _original(photo: Photo) -> Answer:
    """The key to the original, for photos whose owner gives it away."""
    if own_size(photo) != "o":
        return {}
    return {"originalsecret": secret_of(photo, "o"), "originalformat": photo.picture.extension}


def _photo_page(photo: Photo) -> str:
    return f"https://www.flickr.com/photos/{photo.owner}/{photo.id}/"
