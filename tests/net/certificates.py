"""A host that speaks TLS, with a certificate that may be wrong in one way."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.scrape.hostile import HostileHost


class TlsHost(HostileHost):
    """Its certificate is made out to `address`, signed by `issuer`, and good until in `days` days.

    In `folder` it lays ``bundle.pem``, which makes it trusted.
    """

    def __init__(
        self, folder: Path, address: str = "127.0.0.1", issuer: str = "", days: int = 1
    ) -> None:
        super().__init__()
        self.address = self.address.replace("http:", "https:")
        key, end = generate_private_key(SECP256R1()), datetime.now(UTC) + timedelta(days)
        certificate = (
            x509.CertificateBuilder(_name(issuer), _name(""), key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(end - timedelta(100))
            .not_valid_after(end)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), True)
            .sign(generate_private_key(SECP256R1()) if issuer else key, hashes.SHA256())
        )
        self.bundle = folder / "bundle.pem"
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self.bundle.write_bytes(certificate.public_bytes(Encoding.PEM) + secret)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.bundle)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the thread of the connection."""
        with self._context.wrap_socket(request, server_side=True) as wire:
            super().finish_request(wire, client_address)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text or "a host")])
