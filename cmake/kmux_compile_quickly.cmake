# kmux_compile_quickly(<test>...)
#
# The launchers and exported libraries that these tests compile while they run are compiled without optimising, in a third
# of the time: for tests about what a launcher does with the driver, of which there are many. That optimised ones do the
# same is left to others: order.*, kmux_order_test, kmux_nvidia_library_test, life_sequences, plugin_faults,
# exported_caller, and launches and export of CuTe DSL.
#
# The runtime takes the first compiler that it finds, so the PATH of these tests begins with one that adds an option.
#
# What it makes of a launcher, or of a program to export, is kept in build/.../tests/launchers by the hash of all that it reads, so
# that a run of the tests compiles each once, and the next run none.
find_program(KMUX_RUN_TIME_COMPILER NAMES c++ g++ clang++ DOC "The C++ compiler that tests find when they run")

# _kmux_write_compiler(<file> <program> [<option>...]): a program that starts the compiler with options before and, in the
# variable `after`, behind those that it is given.
function(_kmux_write_compiler file program)
  set(command "exec \"${program}\"")
  foreach(option IN LISTS ARGN)
    string(APPEND command " \"${option}\"")
  endforeach()
  set(before "")
  if(CMAKE_CROSSCOMPILING) # a cross compiler does not know which processor is "native"
    set(before "for one do shift; [ \"$one\" = -mcpu=native ] || set -- \"$@\" \"$one\"; done\n")
  endif()
  file(CONFIGURE OUTPUT ${file} CONTENT "#!/bin/sh\n${before}${command} \"$@\"${after}\n" @ONLY)
  file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

# Tests of a cross build compile for the machine that they are built for, with what ./kmux.sh puts before its PATH.
set(for_target)
if(CMAKE_CROSSCOMPILING)
  set(KMUX_RUN_TIME_COMPILER ${CMAKE_CXX_COMPILER})
  set(for_target --sysroot=${CMAKE_SYSROOT})
  set(folder ${PROJECT_BINARY_DIR}/tests/compilers)
  foreach(name IN ITEMS c++ g++)
    _kmux_write_compiler(${folder}/${name} ${CMAKE_CXX_COMPILER} ${for_target})
  endforeach()
  foreach(name IN ITEMS cc gcc)
    _kmux_write_compiler(${folder}/${name} ${CMAKE_C_COMPILER} ${for_target})
  endforeach()
  foreach(name IN ITEMS clang-19 clang++-19)
    _kmux_write_compiler(${folder}/${name} /usr/bin/${name} --target=${CMAKE_LIBRARY_ARCHITECTURE} ${for_target})
  endforeach()
endif()

if(KMUX_RUN_TIME_COMPILER)
  execute_process(COMMAND ${KMUX_RUN_TIME_COMPILER} --version OUTPUT_VARIABLE version)
  string(SHA256 version "${version}")
  string(SUBSTRING ${version} 0 16 version)
  set(compiler ${PROJECT_BINARY_DIR}/tests/compilers_of_launchers/quick)
  set(after " -O0")
  _kmux_write_compiler(${compiler} ${KMUX_RUN_TIME_COMPILER} ${for_target})
  set(kept ${PROJECT_BINARY_DIR}/tests/launchers/${version})
  file(MAKE_DIRECTORY ${kept})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/kept_launcher.sh.in ${PROJECT_BINARY_DIR}/tests/quick_compiler/c++ @ONLY FILE_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  unset(after)
endif()

function(kmux_compile_quickly)
  set(folder ${PROJECT_BINARY_DIR}/tests)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT_MODIFICATION PATH=path_list_prepend:${folder}/quick_compiler
    KMUX_COMPILER_READS=path_list_prepend:${folder}/compilers_of_launchers KMUX_COMPILER_WRITES=path_list_prepend:${folder}/launchers)
endfunction()
