# TvmFfi::TvmFfi: headers and library of TVM-FFI, as PyPI's package apache-tvm-ffi has them in the Python environment
# that kmux.sh fills.
set(KMUX_VENV_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH "Python with the PyPI packages of this tree")

if(EXISTS ${KMUX_VENV_PYTHON} AND NOT TvmFfi_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
  foreach(option IN ITEMS includedir dlpack-includedir libfiles)
    execute_process(COMMAND ${KMUX_VENV_PYTHON} -m tvm_ffi.config --${option} OUTPUT_VARIABLE ${option} ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endforeach()
  set(TvmFfi_INCLUDE_DIRS "${includedir};${dlpack-includedir}" CACHE STRING "Headers of TVM-FFI" FORCE)
  set(TvmFfi_LIBRARY "${libfiles}" CACHE FILEPATH "libtvm_ffi.so" FORCE)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TvmFfi REQUIRED_VARS TvmFfi_LIBRARY TvmFfi_INCLUDE_DIRS
  REASON_FAILURE_MESSAGE "Install: ./kmux.sh build, or pip install apache-tvm-ffi into .venv")
mark_as_advanced(TvmFfi_LIBRARY TvmFfi_INCLUDE_DIRS)

if(TvmFfi_FOUND AND NOT TARGET TvmFfi::TvmFfi)
  add_library(TvmFfi::TvmFfi SHARED IMPORTED)
  set_target_properties(TvmFfi::TvmFfi PROPERTIES
    IMPORTED_LOCATION ${TvmFfi_LIBRARY} IMPORTED_NO_SONAME OFF INTERFACE_INCLUDE_DIRECTORIES "${TvmFfi_INCLUDE_DIRS}")
endif()
