"""What a source says of a photo: the one record of it, which all that say more embed."""

from datetime import datetime

from genset.core.validation import Record


class PhotoOrigin(Record, frozen=True, kw_only=True):
    """Where a photo is from, whose it is, and under which licence.

    All of it is strangers' words: show it as text, and check addresses before anything is fetched.

    Attributes:
        source: the name of the source ("flickr"), or of a folder of one's own.
        source_id: the photo's id there; "" in what is said of all photos of a folder.
        owner: the id of the account that the photo is under; "" where nobody says.
        owner_name: the name to credit; "" where it is the same.
        title: its title; "" for none.
        license, license_url: the licence's name, and the address of its text or "".
        page_url: the photo's page for people; "" for a photo that was never up.
        image_url: where its picture is to be had; "" where the source gives none.
        posted_at: when it was posted, in UTC.
        taken_at: the camera's clock, as far as it is known: "2013", "2013-10", "2013-10-06" or
            "2013-10-06 14:06:41"; None where it is not.
    """

    source: str
    source_id: str = ""
    owner: str = ""
    owner_name: str = ""
    title: str = ""
    license: str = ""
    license_url: str = ""
    page_url: str = ""
    image_url: str = ""
    posted_at: datetime
    taken_at: str | None = None

    @property
    def name(self) -> str:
        """What the photo is called everywhere: ``flickr:6061409035``."""
        return f"{self.source}:{self.source_id}"

    @property
    def credited(self) -> str:
        """Whom to credit."""
        return self.owner_name or self.owner
