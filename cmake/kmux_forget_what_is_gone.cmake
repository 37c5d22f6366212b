# Headers, libraries and programs that a configuration before has found and that are gone, with a toolkit or an environment of
# Python that was removed, are looked for anew: CMake itself keeps the paths.
get_cmake_property(variables CACHE_VARIABLES)
foreach(variable IN LISTS variables)
  if(NOT variable MATCHES "_(INCLUDE_DIRS?|LIBRARY|EXECUTABLE)$")
    continue()
  endif()
  foreach(path IN LISTS ${variable})
    if(IS_ABSOLUTE "${path}" AND NOT EXISTS "${path}")
      unset(${variable} CACHE)
    endif()
  endforeach()
endforeach()
