"""The evidence package: a ZIP in which nothing can change unseen.

    evidence.json  page.html  cases.jsonl  checks.jsonl  selftest.json     what was found
    histories.jsonl.gz                                                     what happened, without the words of the scenarios
    statement.json                                                         in-toto statement: sha256 of every file, and one root over all
    statement.json.sig                                                     signature by `ssh-keygen -Y sign`, when a key was given

The root is the sha256 of the lines `sha256  name`, sorted by name. The ZIP itself is written in one way only (stored, fixed dates), and
`opened` asks for exactly those bytes, so that a byte changed in the container is seen as well.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import lzma
import re
import struct
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memgauge.errors import InputError
from memgauge.records import Json

STATEMENT, SIGNATURE = "statement.json", "statement.json.sig"
NAMESPACE = "memgauge-evidence"
"""What the signature is for; a signature made for something else does not count."""

PREDICATE = "urn:memgauge:evidence:1"
_DATE = (1980, 1, 1, 0, 0, 0)
_BROKEN = (zipfile.BadZipFile, RuntimeError, zlib.error, lzma.LZMAError, EOFError, OSError, LookupError, ValueError, ArithmeticError, struct.error)
"""What reading a broken container raises."""
_ARMOR = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")


class Tampered(Exception):
    """The package is not as it was made; the message says where."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A package whose hashes hold. `signature` says who signed: `UNSIGNED`, or the fingerprint of the key."""

    files: Mapping[str, bytes]
    root: str
    signature: str


def root_of(files: Mapping[str, bytes]) -> str:
    """One hash over all files."""
    lines = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def statement(files: Mapping[str, bytes], signer: str) -> bytes:
    """The in-toto statement over the files."""
    subject = [{"name": name, "digest": {"sha256": hashlib.sha256(body).hexdigest()}} for name, body in sorted(files.items())]
    document: Json = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": PREDICATE,
        "predicate": {"root_sha256": root_of(files), "signer": signer},
    }
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()


def write(path: Path, files: Mapping[str, bytes], key: Path | None = None) -> str:
    """Write the package and return its root hash. Raises InputError when it exists, or when the key does not sign."""
    if path.exists():
        raise InputError("exists already", where=str(path), hint="evidence is not written over; choose another name with -o")
    told = statement(files, signer(key))
    whole = {**files, STATEMENT: told, **({SIGNATURE: _sign(told, key)} if key else {})}
    draft = path.with_name(f".{path.name}.tmp")
    try:
        draft.write_bytes(_zip(whole))
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
    return root_of(files)


def opened(path: Path, pubkey: Path | None = None) -> Opened:
    """Read a package and check container, hashes and signature. Raises Tampered; InputError when the file or the key cannot be read."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as container:
            whole = {name: container.read(name) for name in container.namelist()}
    except _BROKEN as error:
        raise Tampered(f"the container is broken: {error}") from None
    if _zip(whole) != raw:
        raise Tampered("the container was changed, or was not written by memgauge")
    told = whole.pop(STATEMENT, b"")
    signature = whole.pop(SIGNATURE, b"")
    try:
        claimed = json.loads(told)
        wanted = {str(one["name"]): str(one["digest"]["sha256"]) for one in claimed["subject"]}
        signed_by = str(claimed["predicate"]["signer"])
    except (ValueError, KeyError, TypeError) as error:
        raise Tampered(f"{STATEMENT} cannot be read: {error}") from None
    for name in sorted({*wanted, *whole}):
        if name not in whole or name not in wanted:
            raise Tampered(f"{name} is {'missing' if name not in whole else 'not in the statement'}")
        if hashlib.sha256(whole[name]).hexdigest() != wanted[name]:
            raise Tampered(f"{name} was changed")
    if statement(whole, signed_by) != told:
        raise Tampered(f"{STATEMENT} was changed")
    return Opened(whole, root_of(whole), _checked(told, signature, signed_by, pubkey))


def signer(key: Path | None) -> str:
    """The fingerprint of a key, or `UNSIGNED`. Raises InputError."""
    return _keygen("-lf", str(key), where=str(key)).split()[1] if key else "UNSIGNED"


def _zip(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as container:
        for name, body in sorted(files.items()):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system, info.external_attr = 3, 0o644 << 16
            container.writestr(info, body)
    return out.getvalue()


def _sign(told: bytes, key: Path) -> bytes:
    with tempfile.TemporaryDirectory(prefix="memgauge-") as folder:
        file = Path(folder) / STATEMENT
        file.write_bytes(told)
        _keygen("-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file), where=str(key))
        return _armored(file.with_name(SIGNATURE).read_bytes())


def _checked(told: bytes, signature: bytes, signed_by: str, pubkey: Path | None) -> str:
    if not signature:
        if pubkey or signed_by != "UNSIGNED":
            raise Tampered("the signature is missing")
        return signed_by
    if _armored(signature) != signature:
        raise Tampered(f"{SIGNATURE} was changed")
    with tempfile.TemporaryDirectory(prefix="memgauge-") as folder:
        file = Path(folder) / SIGNATURE
        file.write_bytes(signature)
        if pubkey:
            try:
                kind, body = pubkey.read_text(encoding="utf-8").split()[:2]
            except (OSError, ValueError) as error:
                raise InputError(f"no public key: {error}", where=str(pubkey), hint="the .pub file of the signing key") from None
            allowed = Path(folder) / "allowed"
            allowed.write_text(f"memgauge {kind} {body}\n")
            argv = ["-Y", "verify", "-f", str(allowed), "-I", "memgauge", "-n", NAMESPACE, "-s", str(file)]
        else:
            argv = ["-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(file)]
        done = subprocess.run(["ssh-keygen", *argv], input=told, capture_output=True, check=False)
    found = re.search(r"SHA256:\S+", done.stdout.decode())
    if done.returncode or not found or found[0] != signed_by:
        raise Tampered("the signature does not fit" + (" the key" if pubkey else ""))
    return signed_by


def _armored(signature: bytes) -> bytes:
    """The one way to write a signature down: base64 has several for the same bytes. Raises Tampered."""
    try:
        first, *lines, last = signature.decode("ascii").strip().split("\n")
        body = base64.b64encode(base64.b64decode("".join(lines), validate=True)).decode()
        if (first, last) != _ARMOR:
            raise ValueError("no armor")
    except ValueError:
        raise Tampered(f"{SIGNATURE} was changed") from None
    return "\n".join([first, *(body[at : at + 70] for at in range(0, len(body), 70)), last, ""]).encode()


def _keygen(*argv: str, where: str) -> str:
    try:
        done = subprocess.run(["ssh-keygen", *argv], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise InputError("ssh-keygen is not installed", where=where, hint="install OpenSSH, or leave the key out") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise InputError(
            f"ssh-keygen: {said[0] if said else 'no answer'}", where=where, hint="a private key without a passphrase, or one in the agent"
        )
    return done.stdout
