"""The secret that signs sessions, pictures' addresses and the manager's link, and what it makes."""

import hashlib
import hmac
import os
import secrets

from sqlalchemy.engine import make_url

from genset.core.errors import BadInput
from genset.workspace import Workspace

NAME = "GENSET_LABEL_SECRET"
LEAST = 32


def given_secret() -> str | None:
    """The secret of the environment or of the workspace's .env; None where there is none.

    Raises:
        BadInput: it is shorter than 32 characters.
    """
    secret = os.environ.get(NAME)
    if secret is not None and len(secret) < LEAST:
        raise BadInput(f"{NAME} has {len(secret)} characters: take at least {LEAST}, at random")
    return secret


def label_secret(workspace: Workspace) -> str:
    """The secret that was given, or else the workspace's own, which is made when first asked for.

    It is kept in ``.label/secret``, which only this user may read and git ignores.

    Raises:
        BadInput: the one that was given is too short.
    """
    if (given := given_secret()) is not None:
        return given
    path = workspace.root / ".label" / "secret"
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        (path.parent / ".gitignore").write_text("*\n", "utf-8")
        made = path.with_name(f"secret.{os.getpid()}")
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_hex(LEAST))
            file.flush()
            os.fsync(file.fileno())
        # Two servers may start at once: the first one's stays.
        try:
            path.hardlink_to(made)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text("ascii")


def manager_token(workspace: Workspace) -> str:
    """What the manager's link holds: whoever has it may see and decide all. 64 hex digits.

    Raises:
        BadInput: the secret that was given is too short.
    """
    return hmac.new(label_secret(workspace).encode(), b"manager", hashlib.sha256).hexdigest()


def workspace_key(workspace: Workspace) -> str:
    """What tells this workspace from others on the same address: 32 hex digits that say nothing.

    Browsers keep unsent labels under it. It changes with the secret and with where the database is,
    not with the user or password that opens it.

    Raises:
        BadInput: the secret that was given is too short.
    """
    url = make_url(workspace.store_url)
    where = f"workspace {url.get_backend_name()} {url.host}:{url.port} {url.database}"
    made = hmac.new(label_secret(workspace).encode(), where.encode(), hashlib.sha256)
    return made.hexdigest()[:32]
