# SPDX-License-Identifier: Apache-2.0
# A configuration whose environment of Python is gone finds no TVM-FFI, instead of files that are not there any more.
set(work ${BUILD}/tests/install/find_tvm_ffi)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(find_tvm_ffi LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH ${SOURCE}/cmake)
find_package(TvmFfi QUIET)
message(STATUS \"found: \${TvmFfi_FOUND}\")
")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work} -B ${work}/build -D TvmFfi_LIBRARY=${work}/gone/libtvm_ffi.so
  -D TvmFfi_INCLUDE_DIRS=${work}/gone/include OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "found: FALSE")
  message(FATAL_ERROR "found what is gone: ${text}")
endif()
