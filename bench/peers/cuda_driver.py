"""CUDA's driver through ctypes: the context, memory and events that all peers on a GPU are measured with."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from kernels import Case

LIBRARY = "libcuda.so.1"
# Source: CUDA Driver API, data types.
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76
EVENT_DEFAULT = 0


class DriverError(RuntimeError):
    """A call of the driver failed."""


def missing() -> str:
    """Why there is no CUDA device here; empty if there is one."""
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        return f"no CUDA driver ({error})"
    count = ctypes.c_int()
    if code := library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(count)):
        return f"the CUDA driver does not start (error {code})"
    return "" if count.value else "no CUDA device"


class Driver:
    """The first device, with its primary context current in this thread."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(LIBRARY)
        self.device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)
        self.synchronize = self.library.cuCtxSynchronize
        self.events = tuple(self.event() for _ in range(2))

    def call(self, name: str, *arguments: Any) -> None:
        """A function of the driver by its name."""
        if code := getattr(self.library, name)(*arguments):
            raise DriverError(f"{name} answers {code} ({self.error_name(code)})")

    def error_name(self, code: int) -> str:
        text = ctypes.c_char_p()
        self.library.cuGetErrorName(code, ctypes.byref(text))
        return (text.value or b"unknown").decode()

    def event(self) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(made), EVENT_DEFAULT)
        return made

    def wait(self) -> None:
        if code := self.synchronize():
            raise DriverError(f"cuCtxSynchronize answers {code} ({self.error_name(code)})")

    def between_events_ns(self, function: Callable[[], Any], count: int) -> float:
        """What the device takes from the first to the last of `count` calls on the default stream."""
        begin, end = self.events
        elapsed = ctypes.c_float()
        self.call("cuEventRecord", begin, None)
        for _ in range(count):
            function()
        self.call("cuEventRecord", end, None)
        self.call("cuEventSynchronize", end)
        self.call("cuEventElapsedTime", ctypes.byref(elapsed), begin, end)
        return elapsed.value * 1e6

    def capability(self) -> str:
        numbers = []
        for attribute in (COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR):
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, self.device)
            numbers.append(str(value.value))
        return "".join(numbers)

    def name(self) -> str:
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, len(text), self.device)
        return text.value.decode()

    def version(self) -> str:
        number = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}"

    def copied(self, array: Any) -> int:
        """The address of a copy on the device."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
        return address.value

    def function(self, code: bytes, name: str) -> ctypes.c_void_p:
        """A kernel of a cubin."""
        module, found = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), code)
        self.call("cuModuleGetFunction", ctypes.byref(found), module, name.encode())
        return found


class DriverArrays:
    """x, y and z in memory of the driver, by their addresses."""

    def __init__(self, driver: Driver, case: Case) -> None:
        self.driver, self.case = driver, case
        self.x, self.y, self.z = map(driver.copied, (case.x(), case.y(), case.unwritten()))

    def result(self) -> Any:
        z = self.case.unwritten()
        self.driver.call(
            "cuMemcpyDtoH_v2", ctypes.c_void_p(z.ctypes.data), ctypes.c_uint64(self.z), ctypes.c_size_t(z.nbytes)
        )
        return z
