"""Calls an exported library through TVM-FFI, as people do: arrays go in as they are, errors are exceptions."""

import sys

import numpy
import tvm_ffi


def main(axpy_path, fails_path):
    axpy = tvm_ffi.load_module(axpy_path)["axpy"]
    x = numpy.array([1, 2, 3], dtype=numpy.float32)
    y = numpy.array([10, 20, 30], dtype=numpy.float32)
    assert axpy(2.0, x, y) is None
    assert y.tolist() == [12, 24, 36], y
    axpy(1, tvm_ffi.from_dlpack(x), tvm_ffi.from_dlpack(y))
    assert y.tolist() == [13, 26, 39], y
    expect("ValueError", 'parameter "y" has shape[0] = 2', lambda: axpy(2.0, x, y[:2].copy()))
    expect("ValueError", "expected 3 arguments, got 1 (they are alpha, x, y)", lambda: axpy(2.0))
    expect("ValueError", "has dtype float64", lambda: axpy(2.0, x.astype(numpy.float64), y))
    expect("ValueError", "is a value of TVM-FFI type", lambda: axpy("two", x, y))
    fails = tvm_ffi.load_module(fails_path)["thrower"]
    expect("RuntimeError", 'the kernel threw "too warm"', lambda: fails(None))
    assert "kmux" not in sys.modules and "libkmux" not in open("/proc/self/maps").read()
    print("all is well")


def expect(kind, text, call):
    try:
        call()
    except Exception as error:
        assert type(error).__name__ == kind, type(error)
        assert text in str(error), error
    else:
        raise AssertionError(f"nothing was raised where {text!r} was expected")


if __name__ == "__main__":
    main(*sys.argv[1:])
