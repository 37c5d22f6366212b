# kmux_precompile(<target> [<header>...]): the target's C++ sources are compiled behind the headers of the standard library that most of
# them include, and those that are named, which are read once for all. kmux_precompile_as(<target> <owner>): with those of another
# target that has the same flags; neither has sources in C.
#
# Builds that compile each source by itself, which is how a missing include is found, do without: presets dev, lint and clang.
set(KMUX_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex> <optional> <set> <span>
  <sstream> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)

function(kmux_precompile target)
  if(CMAKE_UNITY_BUILD)
    set(headers)
    foreach(header IN LISTS KMUX_PRECOMPILED_HEADERS ARGN)
      string(REGEX REPLACE "^<(.*)>$" "<\\1$<ANGLE-R>" header "${header}")
      list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endforeach()
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

function(kmux_precompile_as target owner)
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
