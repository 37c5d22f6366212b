"""Many machines: compile on every node of a Ray cluster, go on where a run was stopped.

>>> import kmux.fleet
>>> report = kmux.fleet.compile(["gemm.kmux.json", "scale.kmux.json"], ["cuda:sm_90a", "cpu:x86-64-v3"], progress=True)
>>> print(report)

See docs/fleet.md.
"""

from ._classes import resources
from ._report import Report
from ._verbs import compile, resume, status

__all__ = ["Report", "compile", "resources", "resume", "status"]
