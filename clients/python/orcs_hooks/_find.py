from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from typing import Any, Optional


class ServiceError(Exception):
    """An error of the service, or of reaching it, with its code (docs/reference/errors.md)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message if message.startswith(code) else f"{code}: {message}")
        self.code = code


class Lost(ServiceError):
    """The connection ended before an answer came, and no hook has run."""


class Service:
    """Of the nearest project above a folder; without a project, of the user's own configuration."""

    def __init__(self, directory: Optional[str] = None, service: Optional[str] = None) -> None:
        found = _find(directory) if service is None else _read(service)
        expect_own(found["socket"])
        self.socket, self._file, self._names, self._seen = found["socket"], found["file"], found.get("env"), 0.0
        mask = os.umask(0o077)
        os.umask(mask)
        self._mask = mask

    def variables(self) -> dict[str, Any]:
        """The variables of this process that hooks may read, for a request: the service lists them, anew when they change."""
        with contextlib.suppress(OSError, ServiceError):
            seen = os.stat(self._file).st_mtime
            if seen != self._seen:
                self._names, self._seen = _read(self._file).get("env"), seen
        if not isinstance(self._names, list):
            return {}
        return {"env": {name: os.environ.get(name) for name in self._names}, "umask": self._mask}


def _find(directory: Optional[str]) -> dict[str, Any]:
    given, mine = os.environ.get("XDG_RUNTIME_DIR", ""), f"orcs-{os.getuid()}"
    folders = [os.path.join(given, "orcs")] if os.path.isabs(given) else []
    temporary = next(filter(None, map(os.environ.get, ("TMPDIR", "TMP", "TEMP"))), "/tmp")
    folders += [os.path.join(temporary, mine), f"/tmp/{mine}"]
    folder = next((path for path in folders if len(path) <= 103 - len("/0123456789abcdef.sock")), folders[-1])
    expect_own(folder)
    known = []
    for name in filter(re.compile(r"[0-9a-f]{16}\.json").fullmatch, os.listdir(folder)):
        with contextlib.suppress(ServiceError):  # Of a service that has just ended, or of another release.
            known.append(_read(os.path.join(folder, name)))
    known.sort(key=lambda each: -each["started"])  # A service that was killed has left its file behind.
    at = os.path.realpath(directory or os.getcwd())
    while True:
        found = [each for each in known if each["scope"] == "project" and each["directory"] == at]
        is_project, above = os.path.exists(os.path.join(at, "orcs.toml")), os.path.dirname(at)
        if not found and not is_project and above == at:
            found = [each for each in known if each["scope"] == "user"]
        if found:
            return found[0]
        if is_project or above == at:  # The hooks of a project must not be skipped.
            raise ServiceError("ORCS7019", f"no service is running for {at}; start orcs serve there")
        at = above


def expect_own(path: str) -> None:
    """Whoever owns the file or the socket could answer in place of the hooks."""
    try:
        found = os.lstat(path)
    except OSError as error:
        raise ServiceError("ORCS7019", f"no service is running: {error}") from error
    if found.st_uid != os.getuid() or found.st_mode & 0o077 or stat.S_ISLNK(found.st_mode):
        raise ServiceError("ORCS7006", f"{path} must belong to you, and nobody else may have access to it")


def _read(path: str) -> dict[str, Any]:
    expect_own(path)
    try:
        with open(path, encoding="utf-8") as file:
            known: dict[str, Any] = json.load(file)
        return {"scope": "", "directory": "", **known, "file": path, "socket": str(known["socket"]), "started": float(known["started"])}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ServiceError("ORCS7019", f"{path} cannot be used: {error}") from error
