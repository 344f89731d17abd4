"""Prolific's own word that a visit is its: the token that a "secured" study address carries.

Prolific signs it (a JWT, RS256) with keys that it publishes; ids in the address alone are claims.
"""

import json
import logging
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests

from genset.core.errors import BadInput, GensetError, needs_extra
from genset.label.crowd.studies import Studies
from genset.label.labelers import Labeler, Labelers

KEYS_ADDRESS = "https://api.prolific.com/.well-known/study/jwks.json"
ISSUER = "https://www.prolific.com"
IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")

_SECONDS = 5.0  # for the whole of the key set
_LARGEST = 64 * 1024  # bytes; it has a few keys of some 500 bytes each
_LONGEST_TOKEN = 8 * 1024
_A_DAY = 24 * 60 * 60.0  # Prolific asks that keys be fetched at least so often
_BETWEEN = 60.0  # seconds: whoever makes up key ids makes us ask no oftener
_AHEAD = 60  # seconds that clocks may differ

log = logging.getLogger("genset.label")

Ids = Mapping[str, str]


class Keys:
    """The keys that Prolific signs with now. Threads may share them.

    `address` is where they are published; nothing else is fetched, whatever a token says.
    """

    def __init__(self, address: str = KEYS_ADDRESS) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._keys: dict[str, dict[str, Any]] = {}
        self._tried: float | None = None
        self._read: float | None = None

    def key(self, kid: str) -> dict[str, Any]:
        """The key with this id, as a JWK.

        Raises:
            BadInput: there is none.
            GensetError: the keys cannot be had now.
        """
        with self._lock:
            is_old = self._read is None or time.monotonic() - self._read > _A_DAY
            may_ask = self._tried is None or time.monotonic() - self._tried > _BETWEEN
            if may_ask and (is_old or kid not in self._keys):
                self._fetch()
            if kid in self._keys:  # keys that could not be read anew hold on
                return self._keys[kid]
            if self._read is None or self._read < (self._tried or 0.0):
                raise GensetError("Prolific's keys cannot be had just now: try again in a minute")
        raise BadInput("the link is not signed by Prolific: open the study from Prolific again")

    def _fetch(self) -> None:
        self._tried = time.monotonic()
        try:
            found = _keys_in(_download(self._address))
        except (requests.RequestException, ValueError) as error:
            log.warning("the keys at %s cannot be had: %s", self._address, error)
            return
        self._keys, self._read = found, time.monotonic()


def verify(token: str, ids: Ids, host: str, keys: Keys, *, seen_before: bool = False) -> None:
    """Check that Prolific signed the ids of an address, for a page on this host.

    `seen_before` says that this very visit came with a good token: a page that is loaded again
    hours later has the same one, so its time is not asked for then. Everything else is.

    Raises:
        BadInput: it did not: one line for the visitor; the log has why.
        GensetError: the keys cannot be had now.
        MissingExtra: the library that checks signatures is not installed.
    """
    with needs_extra("checking Prolific's signature", "label"):
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import RSAKey
        from joserfc.jws import extract_compact
    try:
        if not 0 < len(token) <= _LONGEST_TOKEN:
            raise ValueError(f"a token of {len(token)} characters")
        kid = extract_compact(token.encode()).headers().get("kid")
        if not isinstance(kid, str):
            raise ValueError("a token without the id of its key")
        # One algorithm, whatever the token says: "none" and those with a shared key are out.
        claims = jwt.decode(token, RSAKey.import_key(keys.key(kid)), algorithms=["RS256"]).claims
        _check(claims, ids, host, seen_before)
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        log.warning("a visit to study %r is not signed well: %s", ids["STUDY_ID"][:64], error)
        raise BadInput("this link is no longer valid: open the study from Prolific again") from None


def _check(claims: Mapping[str, Any], ids: Ids, host: str, seen_before: bool) -> None:
    expires = claims.get("exp")
    if not isinstance(expires, int | float):
        raise ValueError("a token without an end")
    if expires < time.time() - _AHEAD and not seen_before:
        raise ValueError("the token has expired")
    if claims.get("iss") != ISSUER:
        raise ValueError(f"the token is of {claims.get('iss')!r}")
    for_whom = claims.get("aud")
    named = for_whom if isinstance(for_whom, list) else [for_whom]
    if not any(isinstance(audience, str) and _host(audience) == _host(host) for audience in named):
        raise ValueError(f"the token is for {for_whom!r}, not for {host!r}")
    claimed_ids = claims.get("prolific")
    if not isinstance(claimed_ids, dict) or any(claimed_ids.get(name) != ids[name] for name in IDS):
        raise ValueError("the token's ids are not the address's")


def _host(address: str) -> str | None:
    """The host of an address, or of what is one without its scheme; without the port."""
    return urlsplit(address if "://" in address else f"//{address}").hostname


def _download(address: str) -> bytes:
    """The bytes there: few, soon, and from there alone."""
    ends = time.monotonic() + _SECONDS
    content = b""
    with requests.get(address, timeout=_SECONDS, stream=True, allow_redirects=False) as reply:
        if reply.status_code != 200:
            raise ValueError(f"HTTP status {reply.status_code}")
        for chunk in reply.iter_content(4096):
            content += chunk
            if len(content) > _LARGEST:
                raise ValueError(f"more than {_LARGEST} bytes")
            if time.monotonic() > ends:
                raise ValueError(f"more than {_SECONDS:g} seconds")
    return content


def _keys_in(content: bytes) -> dict[str, dict[str, Any]]:
    try:
        listed = json.loads(content)["keys"]
        return {
            key["kid"]: {name: key[name] for name in ("kty", "n", "e")}
            for key in listed
            if key.get("kty") == "RSA" and key.get("alg", "RS256") == "RS256"
        }
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no key set: {type(error).__name__}") from None


KEYS = Keys()


def by_prolific(
    labelers: Labelers, ids: Ids, token: str, host: str, invite: str | None = None
) -> Labeler:
    """The labeler who came by an address with these ids (`prolific.IDS`), to a page on `host`.

    `token` is Prolific's own, "" for none; `invite` the token of an invitation, if there is one.

    Raises:
        BadInput: as `Labelers.by_study`, or the token is not good.
        GensetError: the store does not answer, or Prolific's keys cannot be had now.
        MissingExtra: the library that checks signatures is not installed.
    """
    study = Studies(labelers.store).known("prolific", ids["STUDY_ID"])
    verified = False
    if study is not None and study.signed and token:
        before = Studies(labelers.store).visit(study, ids["SESSION_ID"])
        seen = before is not None and before.verified
        verify(token, ids, host, KEYS, seen_before=seen)
        verified = True
    return labelers.by_study(
        "prolific",
        ids["STUDY_ID"],
        ids["PROLIFIC_PID"],
        ids["SESSION_ID"],
        verified=verified,
        invite=invite,
    )
