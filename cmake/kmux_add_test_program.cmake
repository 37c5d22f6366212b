# kmux_add_test_program(<name> LABEL <unit|golden|conformance|integration|install> SOURCES <x_test.cpp>... [LIBS <target>...]
#                       [LARGE <x_test.cpp>...] [APART <x_test.cpp>...] [QUICK])
# Part of target kmux_tests_<label>.
#
# One GoogleTest program, one ctest `<name>.<x>` for each x_test.cpp (tests/main.cpp takes --file=x_test.cpp), so that
# ctest starts few processes and still names the noun that failed. A file whose every case skips counts as skipped.
# APART: files whose cases run in a process each, as they load different libraries of one name, and no library need go
# when it is closed (under the address sanitizer none does).
# LARGE: files whose tests have label `large`, so that they are another program, <name>_large, which only target kmux_rest builds.
# It has the helpers among SOURCES, and the first program's folders and definitions. The tests are named after the first.
# QUICK: part of what `./kmux.sh quick` builds and runs.
find_package(GTest 1.12 REQUIRED)

# Tests are compiled more often than they run, so what they are compiled with may be cheaper than the product's flags.
set(KMUX_TEST_FLAGS "" CACHE STRING "Compiler flags of test programs, after those of the build type")

# Nor are they shipped: lld, where it is there, links those with Clang in them in a quarter of the time.
set(linker)
find_program(KMUX_LLD ld.lld PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH DOC "lld, which links the tests")
if(KMUX_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  cmake_path(GET KMUX_LLD PARENT_PATH folder)
  set(linker -fuse-ld=lld -B${folder})
endif()
set(KMUX_TEST_LINKER "${linker}" CACHE STRING "Options that choose the linker of test programs")

add_library(kmux_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(kmux_test_main PRIVATE kmux_options GTest::gmock)
target_compile_options(kmux_test_main PRIVATE ${KMUX_TEST_FLAGS})
target_include_directories(kmux_test_main PRIVATE ${PROJECT_SOURCE_DIR}/tests)
# Compiled as programs are, so that they can have what it precompiles.
set_target_properties(kmux_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(kmux_test_main PRIVATE -fPIE)
kmux_precompile(kmux_test_main <gmock/gmock.h> <gtest/gtest.h>)

# _kmux_add_test_executable(<name> <label> SOURCES <file>... [LIBS <target>...])
function(_kmux_add_test_executable name label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE kmux_options kmux_sdk_inside kmux_test_main GTest::gmock ${arg_LIBS})
  target_compile_options(${name} PRIVATE ${KMUX_TEST_FLAGS})
  target_link_options(${name} PRIVATE ${KMUX_TEST_LINKER})
  kmux_precompile_as(${name} kmux_test_main)
  if(CMAKE_UNITY_BUILD) # what is read for each batch takes most of its time
    set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    KMUX_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
    KMUX_TEST_PLUGIN_DIR="${PROJECT_BINARY_DIR}/tests/plugins"
    KMUX_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    $<$<BOOL:${KMUX_PORTABLE}>:KMUX_TEST_PORTABLE>
    KMUX_TEST_BUILD_DIR="${PROJECT_BINARY_DIR}"
    KMUX_TEST_TILELANG_HEADERS="${KMUX_TILELANG_HEADERS}")
  if(NOT TARGET kmux_tests_${label})
    add_custom_target(kmux_tests_${label})
  endif()
  add_dependencies(kmux_tests_${label} ${name})
endfunction()

# _kmux_add_test_files(<program> <prefix of names> <label> <x_test.cpp>...)
function(_kmux_add_test_files program prefix label)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source FILENAME file)
    if(file MATCHES "^(.*)_test\\.cpp$")
      set(noun ${CMAKE_MATCH_1})
      set(apart)
      if(file IN_LIST arg_APART)
        set(apart --apart)
      endif()
      add_test(NAME ${prefix}.${noun} COMMAND ${program} --file=${file} ${apart})
      set_tests_properties(${prefix}.${noun} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77)
      if(arg_QUICK)
        kmux_quick_tests(${prefix}.${noun})
      endif()
    endif()
  endforeach()
endfunction()

function(kmux_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK" "LABEL" "SOURCES;LARGE;LIBS;APART")
  _kmux_add_test_executable(${name} ${arg_LABEL} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
  _kmux_add_test_files(${name} ${name} ${arg_LABEL} ${arg_SOURCES})
  if(arg_QUICK)
    add_dependencies(kmux_quick ${name})
  endif()
  if(arg_LARGE)
    set(helpers ${arg_SOURCES})
    list(FILTER helpers EXCLUDE REGEX "_test\\.cpp$")
    _kmux_add_test_executable(${name}_large ${arg_LABEL} SOURCES ${arg_LARGE} ${helpers} LIBS ${arg_LIBS})
    target_include_directories(${name}_large PRIVATE $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${name}_large PRIVATE $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
    add_dependencies(${name}_large ${name}) # and so on what that depends on
    kmux_large_targets(${name}_large)
    _kmux_add_test_files(${name}_large ${name} ${arg_LABEL} ${arg_LARGE})
    list(TRANSFORM arg_LARGE REPLACE "^.*/|_test\\.cpp$" "")
    list(TRANSFORM arg_LARGE PREPEND "${name}.")
    kmux_large_tests(${arg_LARGE})
  endif()
endfunction()
