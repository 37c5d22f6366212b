"""x, y and z as tensors of torch."""

from __future__ import annotations

from typing import Any

from kernels import Case


class TorchArrays:
    def __init__(self, case: Case, device: str = "cuda") -> None:
        import torch

        arrays = (case.x(), case.y(), case.unwritten())
        self.x, self.y, self.z = (torch.from_numpy(array).to(device) for array in arrays)

    def result(self) -> Any:
        return self.z.cpu().numpy()


def bring_up() -> str:
    """Imports torch and starts its device. Its version."""
    import torch

    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    return str(torch.__version__)
