# SPDX-License-Identifier: Apache-2.0
# Headers and libraries that a configuration before has found, and that are gone, are unknown to the next; folders that are named and
# are not there yet stay.
set(work ${BUILD}/tests/install/what_is_gone)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(what_is_gone LANGUAGES NONE)
include(${SOURCE}/cmake/kmux_forget_what_is_gone.cmake)
message(STATUS \"known: \${A_LIBRARY},\${AN_INCLUDE_DIR},\${SOME_INCLUDE_DIRS},\${A_FOLDER}\")
")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work} -B ${work}/build -D A_LIBRARY=/gone/libtvm_ffi.so
  -D AN_INCLUDE_DIR=${work} -D "SOME_INCLUDE_DIRS=${work};/gone/include" -D A_FOLDER=/gone
  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "known: ,${work},,/gone\n")
  message(FATAL_ERROR "known is what is gone: ${text}")
endif()
