"""A real HTTP server on loopback that stands for every site, and misbehaves on demand."""

from __future__ import annotations

from tests.server.fault import FAULTS, Fault
from tests.server.server import Answer, Request, Server, serving

__all__ = ["FAULTS", "Answer", "Fault", "Request", "Server", "serving"]
