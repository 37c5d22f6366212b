"""A plugin of pytest: TileLang's tests on a machine without a GPU, for the kernels that they make.

Every kernel is lowered by TileLang and exported; it is not compiled, and a call gives zeros. So outcomes of tests mean nothing here:
what counts are the lines of --kernels, one a kernel, and the programs in --programs.
"""

import json
import os
import sys
import unittest.mock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_CPU, _CUDA = 1, 2  # DLPack's types of devices


class _OnCpu(TorchFunctionMode):
    """What asks for CUDA memory gets the host's."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.cuda:
            return args[0]
        keywords = {name: "cpu" if name == "device" else value for name, value in (kwargs or {}).items()}
        return func(*map(_on_cpu, args), **keywords)


def _on_cpu(value: Any) -> Any:
    is_cuda = isinstance(value, torch.device) and value.type == "cuda"
    return "cpu" if is_cuda or (isinstance(value, str) and value.startswith("cuda")) else value


class _Recorder:
    """Writes what became of each kernel."""

    def __init__(self, lines: Path, programs: Path) -> None:
        self._lines, self._programs = lines, programs
        self.test = ""

    def record(self, name: str, target: str, **facts: Any) -> None:
        line = json.dumps({"test": self.test, "kernel": name, "target": target, **facts})
        with self._lines.open("a") as file:  # one write a line: several workers share the file
            file.write(line + "\n")

    def keep(self, program: Any) -> str:
        folder = self._programs / program.digest[:32]
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            program.save(folder / "kernel.kmux.json")
        return folder.name


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--kernels", required=True, help="file of JSON lines, one a kernel")
    parser.addoption("--programs", required=True, help="folder of what was exported")
    parser.addoption("--capability", default="9.0", help="of the GPU that the tests see")


def pytest_configure(config: Any) -> None:
    os.environ["TILELANG_DISABLE_CACHE"] = "1"
    recorder = _Recorder(Path(config.getoption("--kernels")), Path(config.getoption("--programs")))
    config.pluginmanager.register(_Tests(recorder))
    capability = tuple(map(int, config.getoption("--capability").split(".")))
    for owner, name, value in _cuda_as_if_there(capability):
        unittest.mock.patch.object(owner, name, value, create=True).start()
    _OnCpu().__enter__()
    _record_kernels(recorder)
    _record_lowered(recorder)


class _Tests:
    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def pytest_runtest_setup(self, item: Any) -> None:
        self._recorder.test = item.nodeid


def _cuda_as_if_there(capability: tuple[int, ...]) -> list[tuple[Any, str, Any]]:
    cuda = torch.cuda
    answers = {
        "is_available": True, "device_count": 1, "current_device": 0, "get_device_capability": capability,
        "get_device_name": "none", "synchronize": None, "set_device": None, "_lazy_init": None, "empty_cache": None,
    }  # fmt: skip
    functions = [(cuda, name, lambda *_, answer=answer, **__: answer) for name, answer in answers.items()]
    return [*functions, *_tvms_device_as_if_there(capability)]


def _tvms_device_as_if_there(capability: tuple[int, ...]) -> list[tuple[Any, str, Any]]:
    """What decides whether a test that requires CUDA runs at all."""
    from tilelang import tvm

    device = type(tvm.cuda(0))
    exist = property(lambda self: self.dlpack_device_type() in (_CPU, _CUDA))
    return [(device, "exist", exist), (device, "compute_version", property(lambda _: "{}.{}".format(*capability)))]


def _record_kernels(recorder: _Recorder) -> None:
    from kmux_tilelang.backend import install, jit_kernel
    from kmux_tilelang.backend.adapter import KmuxAdapter

    def recorded(kernel: Any, request: Any, program: Any, artifact: Any) -> Any:
        recorder.record(request.name, str(request.target), exported=True, program=recorder.keep(program))
        adapter = KmuxAdapter(request, program, artifact)
        adapter.func = _zeros(adapter)
        kernel.artifact, kernel.adapter, kernel.torch_function = artifact, adapter, adapter.func
        return kernel

    def refused(self: Any, kernel: Any, function: Any, out_idx: Any, reason: str) -> Any:
        recorder.record(str(function.attrs.get("global_symbol")), str(kernel.target), exported=False, reason=reason)
        raise RuntimeError(reason)

    lowered = jit_kernel.Extension._lowered

    def lowered_or_recorded(self: Any, kernel: Any, function: Any) -> Any:
        try:
            return lowered(self, kernel, function)
        except jit_kernel.Refused:
            raise
        except Exception as error:
            recorder.record(str(function.attrs.get("global_symbol")), str(kernel.target), lowered=False, reason=str(error)[:200])
            raise

    install(default=True, named=True)
    jit_kernel.with_adapter = recorded
    jit_kernel.Extension._lowered = lowered_or_recorded
    from kmux_tilelang.backend.install import _Installation, _installed

    _Installation._fall_back = refused
    _installed._extension._fall_back = refused.__get__(_installed)


def _record_lowered(recorder: _Recorder) -> None:
    """Kernels that a test lowers and does not compile count, too."""
    import tilelang

    module = sys.modules["tilelang.engine.lower"]  # the package has a function of this name
    lower = module.lower

    def recorded(function: Any, *arguments: Any, **named: Any) -> Any:
        artifact = lower(function, *arguments, **named)
        if artifact.target.kind.name == "cuda" and not named.get("runtime_only"):
            _record(recorder, function, artifact)
        return artifact

    for owner in (module, tilelang, tilelang.engine):
        owner.lower = recorded


def _record(recorder: _Recorder, lowered: Any, artifact: Any) -> None:
    from kmux_tilelang.backend.compilation import program_of
    from kmux_tilelang.backend.request import request_of
    from tilelang import tvm

    function = next(iter(lowered.functions.values())) if isinstance(lowered, tvm.IRModule) else lowered
    configs = tvm.transform.PassContext.current().config
    name, target = str((function.attrs or {}).get("global_symbol", "kernel")), str(artifact.target)
    try:
        program = program_of(request_of(function, None, artifact.target, "auto", dict(configs), ()), artifact)
    except Exception as error:
        recorder.record(name, target, exported=False, reason=str(error))
    else:
        recorder.record(name, target, exported=True, program=recorder.keep(program))


def _zeros(adapter: Any) -> Callable[..., Any]:
    """A call that gives outputs where their shape is known."""

    def call(*_: Any) -> Any:
        made = []
        for index in adapter.result_idx:
            param = adapter.params[index]
            made.append(torch.zeros([e if isinstance(e, int) else 1 for e in param.shape], dtype=param.torch_dtype()))
        return made[0] if len(made) == 1 else made or None

    return call
