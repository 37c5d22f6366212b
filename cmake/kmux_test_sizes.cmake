# The two sizes of the suite. `./kmux.sh test` builds target `all` and runs what has no label `large`; `./kmux.sh test --all` also builds
# target `kmux_rest` and runs every test, with KMUX_ALL_TESTS=1 in its environment.
#
# Label `large`: a test that repeats what others cover, or takes too long for each change. Label `sweep`: a test that runs in both
# sizes and goes through more where KMUX_ALL_TESTS is 1 (tests/sizes.h).
#
# Label `quick`: what `./kmux.sh quick` runs after it has built target `kmux_quick`, core and backend cpu.
add_custom_target(kmux_rest)
add_custom_target(kmux_quick)

# kmux_large_tests(<test>...): these run with --all alone.
function(kmux_large_tests)
  _kmux_append_to_tests(LABELS large ${ARGN})
endfunction()

# kmux_sweeping_tests(<test>...): these go through more with --all.
function(kmux_sweeping_tests)
  _kmux_append_to_tests(LABELS sweep ${ARGN})
endfunction()

# kmux_time_quickly(<test>...): these time calls and do not look at the times. A virtual machine may report a cache of 300 MiB, and
# 600 MiB would be written through before each call.
function(kmux_time_quickly)
  _kmux_append_to_tests(ENVIRONMENT_MODIFICATION KMUX_OPTION_CPU_FLUSH_MIB=set:16 ${ARGN})
endfunction()

function(kmux_quick_tests)
  _kmux_append_to_tests(LABELS quick ${ARGN})
endfunction()

# kmux_large_targets(<target>...): only large tests and measurements need these programs.
function(kmux_large_targets)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(kmux_rest ${ARGN})
endfunction()

# A test that this build does not have is passed over, as what it tests may not be here; not so a noun that its program lacks.
function(_kmux_append_to_tests property value)
  foreach(test IN LISTS ARGN)
    string(REGEX REPLACE "\\..*" "" program ${test})
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY ${property} ${value})
    elseif(TARGET ${program})
      message(FATAL_ERROR "There is no test ${test} to be given ${value} (${program} has none of this name). Correct the name.")
    endif()
  endforeach()
endfunction()
