# SPDX-License-Identifier: Apache-2.0
"""What the plan and the lines of a run's folder have, for files that were damaged or written by others."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_LINE: dict[str, type] = {**dict.fromkeys(("key", "program", "name", "place", "state"), str), "values": dict, "attempts": list}
_ENDS: dict[str, dict[str, type]] = {"done": {"result": dict}, "failed": {"code": str, "problem": str}}
_ATTEMPT: dict[str, type] = dict.fromkeys(("node", "host", "code", "why"), str)
_PLAN: dict[str, type] = {"verb": str, "places": list, "programs": list, "words": list}
_PROGRAM: dict[str, type] = {"digest": str, "name": str, "shapes": list}
_VERBS = ("compile", "tune", "bench")
_DIGEST = re.compile("[0-9a-f]{64}")


def line_of(raw: bytes) -> dict[str, Any] | None:
    """The line of a journal; None if it lacks something that each line has."""
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not _has(line, _LINE) or line["state"] not in _ENDS or not _has(line, _ENDS[line["state"]]):
        return None
    return line if all(_has(each, _ATTEMPT) for each in line["attempts"]) else None


def is_plan(values: Any) -> bool:
    """Returns true if `values` are those of a plan, and no others."""
    if not _has(values, _PLAN) or values.keys() != _PLAN.keys() or values["verb"] not in _VERBS:
        return False
    are_texts = all(isinstance(each, str) for each in (*values["places"], *values["words"]))
    return are_texts and all(map(_is_program, values["programs"]))


def _is_program(value: Any) -> bool:
    if not _has(value, _PROGRAM) or not _DIGEST.fullmatch(value["digest"]):
        return False
    return all(isinstance(shape, dict) for shape in value["shapes"])


def _has(value: Any, shape: Mapping[str, type]) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), kind) for name, kind in shape.items())
