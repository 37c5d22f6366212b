# Builds the plugin of folder PLUGIN as somebody outside this tree would: against kmux as BUILD installs it, from a copy of the
# folder. Then the conformance suite runs it, and PLUGIN/tests/test.cmake, if there is one, which has the variables and functions
# below. Any step that fails fails the test; where the plugin cannot run, it is skipped.
cmake_path(GET PLUGIN FILENAME name)
set(work ${BUILD}/examples/plugins/${name})
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})
file(COPY ${PLUGIN} DESTINATION ${work})

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Fails unless the command ends with `code` and prints a text that matches `pattern`.
function(expect code pattern)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL code OR NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: code ${result}, '${text}' instead of code ${code} and '${pattern}'")
  endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
step(${CMAKE_COMMAND} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_UNITY_BUILD=ON
  -S ${work}/${name} -B ${work}/build)
step(${CMAKE_COMMAND} --build ${work}/build)

set(plugins ${work}/build/lib/kmux/plugins)
set(ENV{KMUX_PLUGIN_PATH} ${plugins})
# Of a driver for processors, which keeps what it compiles, by the text and its own version: outside what is removed above, so that
# the next run compiles what has changed alone.
set(ENV{POCL_CACHE_DIR} ${BUILD}/examples/pocl)
set(conformance ${prefix}/bin/kmux-conformance --plugin ${name} --plugin-path ${plugins})
execute_process(COMMAND ${conformance} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
if(result EQUAL 77)
  message("plugin ${name} was built, and cannot run here")
  return()
elseif(NOT result EQUAL 0)
  message(FATAL_ERROR "conformance of ${name}: code ${result}")
endif()
step(${conformance} --isolation process)
include(${PLUGIN}/tests/test.cmake OPTIONAL)
