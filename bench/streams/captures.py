#!/usr/bin/env python3
"""Memory order on a device of NVIDIA's through the Python package: two bars of group `streams`.

usage: bench/streams/captures.py [--rounds 1000]

Needs torch, a GPU, and kmux installed or KMUX_TVM_FFI_LIBRARY and PYTHONPATH set. Prints bars (bench/bars).
"""
import argparse
import ctypes
import pathlib
import sys
import threading
import time

import torch
import tvm_ffi

import kmux

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bars"))
import bar  # noqa: E402
from bar import BAR, at_most  # noqa: E402

N = 1024
SOURCE = """
extern "C" __global__ void add(float* y, const float* x, float v, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x] + v + %s;
}
extern "C" __global__ void copy(float* y, const float* x) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
"""
LONG = 5_000_000  # cycles, some milliseconds: longer than it takes to allocate and launch again


def program(constant="0", workspace=False):
    def launch(kernel, *args):
        return {"launch": {"kernel": kernel, "grid": [4], "block": [256], "args": list(args)}}

    y, x, w = {"tensor": "y"}, {"tensor": "x"}, {"workspace": "w"}
    scalars = {"scalar": "v"}, {"scalar": "cycles"}
    body = {"steps": [launch("add", y, x, *scalars)]}
    if workspace:
        steps = [launch("add", w, x, *scalars), launch("copy", y, w)]
        body = {"workspaces": [{"name": "w", "bytes": 4 * N}], "steps": steps}
    buffer = {"dtype": "float32", "shape": [N]}
    params = [{"name": "x", "buffer": buffer}, {"name": "y", "buffer": buffer}]
    params += [{"name": "v", "scalar": {"dtype": "float32"}}, {"name": "cycles", "scalar": {"dtype": "int64"}}]
    return kmux.program(
        {
            "name": "add",
            "signature": {"params": params, "outputs": ["y"]},
            "variants": [{"dialect": "cuda", "sources": [{"path": "add.cu"}], "body": body}],
        },
        files={"add.cu": SOURCE % constant},
    )


class Streams:
    """Raw streams that do not wait for the default stream."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.device = tvm_ffi.device("cuda:0")

    def make(self):
        stream = ctypes.c_void_p()
        assert self.cuda.cuStreamCreate(ctypes.byref(stream), 1) == 0
        return stream

    def on(self, stream):
        return tvm_ffi.use_raw_stream(self.device, stream.value)

    def wait(self, stream=None):
        assert self.cuda.cuStreamSynchronize(stream) == 0


def numbers(tensor):
    return torch.from_dlpack(tensor).cpu()


def dropped_outputs_wrong(add, rounds):
    streams = Streams()
    stream = streams.make()
    zero = add(tvm_ffi.from_dlpack(torch.zeros(N, device="cuda")), -0.0, 0)
    streams.wait()
    wrong = 0
    for i in range(rounds):
        with streams.on(stream):
            first = add(zero, 111.0, LONG)
        del first
        second = add(zero, 222.0, 0)
        source = add(zero, float(i), 0)
        streams.wait()
        with streams.on(stream):
            third = add(source, 1.0, LONG)
        del source
        fourth = add(zero, 444.0, 0)
        streams.wait(stream)
        streams.wait()
        for tensor, expected in ((second, 222), (third, i + 1), (fourth, 444)):
            wrong += not bool((numbers(tensor) == expected).all())
        if i % 10 == 9:
            print(f"dropped outputs: {i + 1} of {rounds} rounds, {wrong} wrong", file=sys.stderr)
    return wrong


class Others(threading.Thread):
    """Does one thing over and over until it is told to stop."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work = work
        self.times = 0
        self.failure = None
        self.stopping = threading.Event()

    def run(self):
        try:
            while not self.stopping.is_set():
                self.work(self.times)
                self.times += 1
        except Exception as failure:  # told when it is joined
            self.failure = failure

    def stop(self):
        self.stopping.set()
        self.join()
        if self.failure is not None:
            raise self.failure


def others(add, through, graph, zero):
    streams = Streams()
    stream = streams.make()

    def compile_and_drop(times):
        fresh = kmux.compile(program(constant=str(times)), target="cuda", execution_backend="nvrtc")
        fresh(zero, 1.0, 0)

    def launch_and_drop(times):
        y = add(zero, float(times), 0)
        with streams.on(stream):
            z = through(y, 1.0, 0)
            graph(z, 1.0, 0)
        del y, z
        if times % 64 == 0:
            time.sleep(0.001)

    return [Others(compile_and_drop), Others(launch_and_drop), Others(launch_and_drop)]


def one_capture(x):
    graph = torch.cuda.CUDAGraph()
    before = x.clone()
    with torch.cuda.graph(graph):
        x += 1
        y = x * 2
        x += 1
    graph.replay()
    torch.cuda.synchronize()
    return bool((x == before + 2).all()) and bool((y == (before + 1) * 2).all())


def captures_spoiled(add, through, graph, rounds):
    zero = add(tvm_ffi.from_dlpack(torch.zeros(N, device="cuda")), -0.0, 0)
    x = torch.zeros(1 << 16, device="cuda")
    torch.cuda.synchronize()
    threads = others(add, through, graph, zero)
    for thread in threads:
        thread.start()
    spoiled, last = 0, ""
    for i in range(rounds):
        try:
            spoiled += not one_capture(x)
        except Exception as failure:
            spoiled, last = spoiled + 1, str(failure).split("\n", maxsplit=1)[0]
        if i % 100 == 99:
            done = ", ".join(str(thread.times) for thread in threads)
            print(f"captures: {i + 1} of {rounds} rounds, {spoiled} spoiled {last}; beside them {done}", file=sys.stderr)
    for thread in threads:
        thread.stop()
    return spoiled


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1000)
    rounds = parser.parse_args().rounds
    torch.zeros(1, device="cuda")
    options = {"target": "cuda", "execution_backend": "nvrtc"}
    add = kmux.compile(program(), **options)
    through = kmux.compile(program(workspace=True), **options)
    graph = kmux.compile(program(workspace=True), options={"graph": "on"}, **options)
    for kernel in (add, through, graph):
        kernel.warm()

    # Wrong results of outputs dropped while their kernel runs, and of inputs dropped while another stream reads them; of 300.
    BAR("dropped_outputs_wrong", "results", at_most(0), lambda: dropped_outputs_wrong(add, max(rounds // 10, 1)))

    # Captures of torch.cuda.graph that fail or replay a wrong value, of 1,000, while other threads compile, launch and drop.
    BAR("captures_spoiled", "captures", at_most(0), lambda: captures_spoiled(add, through, graph, rounds))
    return bar.main()


if __name__ == "__main__":
    sys.exit(main())
