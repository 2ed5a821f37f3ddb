"""A client of the orcs service (docs/reference/wire.md). What the service does not answer is denied."""

from ._client import AsyncClient, Client, Denied, Outcome
from ._find import ServiceError
from ._governed import governed

__all__ = ["AsyncClient", "Client", "Denied", "Outcome", "ServiceError", "governed"]
