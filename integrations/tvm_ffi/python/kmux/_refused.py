"""What no kernel takes."""

from __future__ import annotations


class Refused(TypeError):
    """An argument that no kernel takes. `problem` follows the name of its parameter."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"an argument {problem}")
        self.problem = problem
