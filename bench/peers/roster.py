"""Everybody who is compared, in the order of the table; the first of each side is what the others are measured by."""

from __future__ import annotations

from c_loop import CLoop, CThroughCtypes
from cuda_core_peer import CudaCore
from cupy_peer import CuPy
from kmux_peer import KmuxOnDevice, KmuxOnHost
from peer import Peer
from pocl_peer import PoCL
from raw_driver import CudaBindings, DriverInC, DriverThroughCtypes
from tilelang_peer import ADAPTERS, TileLangOnHost
from triton_peer import Triton, TritonCompiled

PEERS: tuple[Peer, ...] = (
    DriverInC(),
    DriverThroughCtypes(),
    KmuxOnDevice("nvrtc"),
    KmuxOnDevice("cuda"),
    CudaCore(),
    CuPy(),
    CudaBindings(),
    TritonCompiled(),
    Triton(),
    *ADAPTERS,
    CLoop(),
    CThroughCtypes(),
    KmuxOnHost(),
    PoCL(),
    TileLangOnHost(),
)


def on(side: str) -> list[Peer]:
    """The peers of a side, or all."""
    return [peer for peer in PEERS if side in ("all", peer.side)]


def named(name: str) -> Peer:
    for peer in PEERS:
        if peer.name == name:
            return peer
    raise LookupError(f"no peer '{name}' (there are: {', '.join(peer.name for peer in PEERS)})")
