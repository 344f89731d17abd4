"""What ids of owners and photos look like at sources where they are of a form."""

import re

# Where ids of owners are known by their form alone.
NSIDS_ARE_FROM = "flickr"
NSID = re.compile(r"[0-9]+@N[0-9]{2}")

# By source: the form, what people call the source, and such an id.
FORMS = {
    NSIDS_ARE_FROM: (NSID, "Flickr", "an id such as 78733179@N04"),
    "inaturalist": (re.compile(r"[1-9][0-9]*"), "iNaturalist", "a number such as 487589"),
}

# The same of photos.
_NUMBER = re.compile(r"[1-9][0-9]*")
PHOTO_FORMS = {
    NSIDS_ARE_FROM: (_NUMBER, "Flickr", "a number such as 6061409035"),
    "commons": (_NUMBER, "Wikimedia Commons", "its page's number, such as 123456"),
    "inaturalist": (
        re.compile(r"[1-9][0-9]*-[1-9][0-9]*"),
        "iNaturalist",
        "its observation's number and its own, such as 67890-12345",
    ),
}

# What a source may be called, also one of one's own photos.
SOURCE = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
