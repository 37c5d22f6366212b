# SPDX-License-Identifier: Apache-2.0
"""kmux_tilelang.backend.install over a stand-in for TileLang: what is changed, and what is left when something of it is missing."""

import contextlib
import importlib
import sys
import types
import unittest
import warnings
from dataclasses import dataclass
from unittest import mock


class _JITKernel:
    def __init__(self):
        self.adapter = None

    def _compile_and_create_adapter(self):
        pass

    def _create_adapter_from_database(self):
        pass

    def export_library(self, path):
        raise AttributeError("TileLang's own")

    get_host_source = export_library


@dataclass(frozen=True)
class _Spec:
    name: str


@dataclass(frozen=True)
class _Backends:
    execution_backends: tuple = (_Spec("cython"),)
    target_kinds: tuple = ("c",)


def _module(name, **contents):
    module = types.ModuleType(name)
    module.__dict__.update(contents, __path__=[])
    return module


def _stand_in():
    """The modules that the package imports, by name."""
    plugin = types.SimpleNamespace(name="cpu")
    backends = {"c": _Backends()}
    cache = _module("tilelang.cache", _dispatch_map={"cython": object()})
    modules = [
        _module("kmux", plugins=lambda: [plugin], Program=object, Kernel=object, CompileOptions=dict, __version__="0"),
        _module("tvm_ffi"),
        _module("torch"),
        _module("tvm", IRModule=object),
        cache,
        _module("tilelang", env=mock.Mock(), tvm=mock.Mock(), cache=cache, __version__="0.1.15"),
        _module("tilelang.jit"),
        _module("tilelang.jit.kernel", JITKernel=type("JITKernel", (), dict(_JITKernel.__dict__))),
        _module("tilelang.jit.adapter"),
        _module("tilelang.jit.adapter.base", BaseKernelAdapter=object),
        _module("tilelang.engine"),
        _module("tilelang.engine.param", KernelParam=mock.Mock()),
        _module("tilelang.backend"),
        _module("tilelang.backend.execution_backend", ExecutionBackendSpec=_Spec),
        _module("tilelang.backend.module", list_backends=lambda: backends),
    ]
    return {module.__name__: module for module in modules}


@contextlib.contextmanager
def _tilelang():
    """The stand-in, and the package imported over it."""
    modules = _stand_in()
    own = [name for name in sys.modules if name.startswith("kmux_tilelang.backend")]
    with mock.patch.dict(sys.modules, modules):
        for name in own:
            del sys.modules[name]
        yield modules, importlib.import_module("kmux_tilelang.backend.install")
        for name in [name for name in sys.modules if name.startswith("kmux_tilelang.backend")]:
            del sys.modules[name]


def _state(modules):
    kernel = modules["tilelang.jit.kernel"].JITKernel
    backends = modules["tilelang.backend.module"].list_backends()["c"].execution_backends
    return dict(kernel.__dict__), backends, dict(getattr(modules["tilelang.cache"], "_dispatch_map", {}))


class Install(unittest.TestCase):
    def test_is_undone(self):
        with _tilelang() as (modules, install):
            before = _state(modules)
            install.install()
            self.assertIn("kmux:cpu", modules["tilelang.cache"]._dispatch_map)
            install.install(default=True)
            self.assertEqual([spec.name for spec in _state(modules)[1]], ["kmux", "kmux:cpu", "cython"])
            install.uninstall()
            self.assertEqual(_state(modules), before)

    def test_changes_nothing_where_something_is_missing(self):
        def without_caches(modules):
            del modules["tilelang.cache"]._dispatch_map

        def without_backends(modules):
            modules["tilelang.backend.module"].list_backends = mock.Mock(side_effect=AttributeError("no list"))

        for is_installed in (False, True):
            for spoil, why in ((without_caches, "_dispatch_map"), (without_backends, "no list")):
                with _tilelang() as (modules, install):
                    if is_installed:
                        install.install()
                        install.uninstall()
                    kernel = dict(modules["tilelang.jit.kernel"].JITKernel.__dict__)
                    backends = modules["tilelang.backend.module"].list_backends()["c"]
                    spoil(modules)
                    with self.assertRaisesRegex(ImportError, rf"{why}.*Install a release .*tilelang=="):
                        install.install(default=True)
                    self.assertEqual(dict(modules["tilelang.jit.kernel"].JITKernel.__dict__), kernel)
                    self.assertEqual(backends.execution_backends, (_Spec("cython"),))
                    install.uninstall()

    def test_changes_nothing_where_it_is_interrupted(self):
        with _tilelang() as (modules, install):
            before = _state(modules)
            with mock.patch.object(install._Installation, "_set_caches", side_effect=KeyboardInterrupt):
                self.assertRaises(KeyboardInterrupt, install.install)
            self.assertEqual(_state(modules), before)

    def test_that_fails_at_the_import_of_tilelang_is_a_warning(self):
        from kmux_tilelang import startup

        with _tilelang() as (modules, _):
            del modules["tilelang.cache"]._dispatch_map
            with self.assertWarnsRegex(RuntimeWarning, "TileLang runs without kmux: .*_dispatch_map"):
                startup._install(is_strict=False)
            with warnings.catch_warnings(), self.assertRaisesRegex(ImportError, "_dispatch_map"):
                warnings.simplefilter("error")
                startup._install(is_strict=True)

    def test_leaves_kernels_usable_when_it_is_undone(self):
        with _tilelang() as (modules, install):
            jit_kernel = importlib.import_module("kmux_tilelang.backend.jit_kernel")
            adapter = mock.Mock()
            request = mock.Mock(function=mock.Mock(buffer_map={}))
            kernel = modules["tilelang.jit.kernel"].JITKernel()
            with (
                mock.patch.object(jit_kernel, "KmuxAdapter", return_value=adapter),
                mock.patch.object(jit_kernel, "is_for_another_device", return_value=False),
            ):
                install.install()
                jit_kernel.with_adapter(kernel, request, None, None)
                install.uninstall()
            kernel.export_library("add.so")
            adapter.export_library.assert_called_once_with("add.so")
            self.assertIs(kernel.get_host_source(), adapter.get_host_source.return_value)


if __name__ == "__main__":
    unittest.main()
