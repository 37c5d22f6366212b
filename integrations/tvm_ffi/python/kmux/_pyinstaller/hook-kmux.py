"""Has PyInstaller carry the plugins, the programs and TVM-FFI, which no import statement names."""

import pathlib

import kmux
from PyInstaller.utils.hooks import collect_all

# As data, since what is taken for a library is put elsewhere, away from the manifests that name it.
_native = pathlib.Path(kmux.__file__).parent / "_native"
datas = [(str(_native), "kmux/_native")] if _native.is_dir() else []
_datas, binaries, hiddenimports = collect_all("tvm_ffi")
datas += _datas
