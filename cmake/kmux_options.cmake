# How every target of this tree is compiled. Targets link `kmux_options` privately; it is never exported.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# In a unity build a local may well have the name of something in another source; preset `dev` looks at each by itself.
set(shadow -Wshadow)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(shadow -Wshadow=local)
endif()

add_library(kmux_options INTERFACE)
target_compile_options(kmux_options INTERFACE
  -Wall -Wextra -Wpedantic ${shadow} -Wconversion -Wno-sign-conversion -Wundef
  -Wno-missing-field-initializers # tables and option structs are initialised by name, the rest is zero
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  # GCC 12 warns falsely about std::string's operator+ (GCC bug 105651) and about moved std::variants (GCC bug 105562).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

# kmux_optimize_lightly(<target>): compiles with -O1, in a quarter less time than with -O2. For code that parses options and writes
# reports; its run time is that of the libraries that it calls.
function(kmux_optimize_lightly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)
endfunction()

find_program(KMUX_CCACHE ccache)
if(KMUX_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${KMUX_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KMUX_CCACHE})
endif()
