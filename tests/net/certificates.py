"""Certificates that are wrong in one way each, and a host that shows one."""

import ipaddress
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.scrape.hostile import HostileHost

DAY = timedelta(days=1)


class TlsHost(HostileHost):
    """A hostile host that speaks TLS.

    Args:
        folder: where its certificate is written, and ``bundle.pem``, which makes it trusted.
        address: the IP address that the certificate is made out to.
        issuer: who signed it; itself where None.
        days: how many days from now it expires.
    """

    def __init__(
        self,
        folder: Path,
        address: str = "127.0.0.1",
        issuer: str | None = None,
        days: int = 1,
    ) -> None:
        super().__init__()
        self.address = self.address.replace("http:", "https:")
        self.names = {"{here}": self.address}
        key, name = ec.generate_private_key(ec.SECP256R1()), _name("genset's tests")
        signer = key if issuer is None else ec.generate_private_key(ec.SECP256R1())
        expires = datetime.now(UTC) + days * DAY
        certificate = (
            x509.CertificateBuilder(_name(issuer) if issuer else name, name, key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(expires - 100 * DAY)
            .not_valid_after(expires)
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]),
                critical=False,
            )
            .sign(signer, hashes.SHA256())
        )
        self.bundle = folder / "bundle.pem"
        self.bundle.write_bytes(certificate.public_bytes(Encoding.PEM))
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / "key.pem").write_bytes(secret)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.bundle, folder / "key.pem")

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the thread of the connection."""
        assert isinstance(request, socket.socket)
        with self._context.wrap_socket(request, server_side=True) as wire:
            super().finish_request(wire, client_address)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
