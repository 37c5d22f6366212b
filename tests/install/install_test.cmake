# Installs kmux below a fresh prefix, moves the prefix, and builds and runs `consumer` against it, with a plugin made by
# tools/new_plugin.py. Any step that fails fails the test.
set(work ${BUILD}/tests/install/work)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})
file(COPY ${SOURCE}/tests/install/consumer DESTINATION ${work})

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
file(RENAME ${work}/prefix ${prefix})
step(${PYTHON} ${SOURCE}/tools/new_plugin.py greeter --into ${work}/consumer)
step(${CMAKE_COMMAND} -S ${work}/consumer -B ${work}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
  -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${work}/build)
step(${CMAKE_COMMAND} -E env KMUX_PLUGIN_PATH=${work}/build/lib/kmux/plugins
  ${work}/build/consumer ${work}/consumer/twice.kmux.json greeter)
# The moved worker is found; without it, isolation is an error.
set(isolated ${CMAKE_COMMAND} -E env KMUX_PLUGIN_PATH=${work}/build/lib/kmux/plugins KMUX_ISOLATION=process
  ${work}/build/consumer ${work}/consumer/twice.kmux.json greeter)
step(${isolated})
file(RENAME ${prefix}/libexec/kmux/kmux-worker ${prefix}/libexec/kmux/kmux-worker.away)
execute_process(COMMAND ${isolated} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(code EQUAL 0 OR NOT text MATCHES "no kmux-worker")
  message(FATAL_ERROR "without kmux-worker: code ${code}, '${text}'")
endif()
file(RENAME ${prefix}/libexec/kmux/kmux-worker.away ${prefix}/libexec/kmux/kmux-worker)
step(${prefix}/bin/kmux plugins --verify)
if(EXISTS ${prefix}/lib/kmux/plugins/kmux_cpu.so)
  step(${work}/build/consumer ${work}/consumer/twice.kmux.json cpu)
  step(${prefix}/bin/kmux run ${work}/consumer/twice.kmux.json --in A=random:1 --symbol n=8)
endif()
