# The archive of `cmake --workflow --preset device`: kmux as it is installed, stripped, and what else a machine without
# LLVM, Boost and a C++ compiler lacks. glibc is the only thing that it takes from the machine. And packages for Debian 12, which
# has the C++ library (kmux_debian.cmake).
set(bundle COMPONENT bundle EXCLUDE_FROM_ALL) # no part of a plain installation
set(licences COMPONENT licences EXCLUDE_FROM_ALL)

# One C++ library a process: an application has opened its own before ours is looked for. In a folder of their own, so
# that an application which searches our lib/ does not take these instead of its newer ones.
foreach(name IN ITEMS libstdc++.so.6 libgcc_s.so.1)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
    OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH ${file} file)
  install(FILES ${file} RENAME ${name} DESTINATION ${KMUX_BUNDLED_DIR} ${bundle})
endforeach()

foreach(package IN ITEMS
    libllvm19 libstdc++6 libboost1.81-dev nlohmann-json3-dev zlib1g-dev libzstd-dev
    libarchive-dev libhiredis-dev libgtest-dev libgmock-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/kmux/licences RENAME ${package}.txt ${licences})
  endif()
endforeach()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # tests and benchmarks are not part of it
set(CPACK_GENERATOR TGZ) # gzip is on every machine; xz and zstd are not, and save little
string(TOLOWER kmux-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} CPACK_PACKAGE_FILE_NAME)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/package)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
include(kmux_debian)
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
list(REMOVE_ITEM CPACK_COMPONENTS_ALL tvm_ffi python) # which need Python: of the wheel and of python3-kmux
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
