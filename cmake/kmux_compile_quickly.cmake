# kmux_compile_quickly(<test>...)
#
# The launchers and exported libraries that these tests compile while they run are compiled without optimising, in a third
# of the time: for tests about what a launcher does with the driver, of which there are many. That optimised ones do the
# same is left to others: order.*, kmux_order_test, kmux_nvidia_library_test, life_sequences, plugin_faults and
# exported_caller.
#
# The runtime takes the first compiler that it finds, so the PATH of these tests begins with one that adds an option.
find_program(KMUX_RUN_TIME_COMPILER NAMES c++ g++ clang++ DOC "The C++ compiler that tests find when they run")
set(folder ${PROJECT_BINARY_DIR}/tests/quick_compiler)
if(KMUX_RUN_TIME_COMPILER)
  file(CONFIGURE OUTPUT ${folder}/c++ CONTENT "#!/bin/sh\nexec \"@KMUX_RUN_TIME_COMPILER@\" \"$@\" -O0\n" @ONLY)
  file(CHMOD ${folder}/c++ PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()

function(kmux_compile_quickly)
  set_tests_properties(${ARGN} PROPERTIES
    ENVIRONMENT_MODIFICATION PATH=path_list_prepend:${PROJECT_BINARY_DIR}/tests/quick_compiler)
endfunction()
