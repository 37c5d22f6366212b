"""Many machines: compile on every node of a Ray cluster, measure on every class of devices, go on where a run was stopped.

>>> import kmux.fleet
>>> report = kmux.fleet.compile(["gemm.kmux.json", "scale.kmux.json"], ["cuda:sm_90a", "cpu:x86-64-v3"], progress=True)
>>> print(report)
>>> kmux.fleet.tune(["gemm.kmux.json"], [{"m": 128}, {"m": 4096}]).lock  # for policy "pinned"

See docs/fleet.md.
"""

from ._classes import resources
from ._report import Report
from ._verbs import bench, compile, resume, status, tune

__all__ = ["Report", "bench", "compile", "resources", "resume", "status", "tune"]
