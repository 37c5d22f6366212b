# Installs kmux below a fresh prefix, moves the prefix, and builds and runs `consumer`,
# with a plugin that the installed new_plugin.py began; `find_package` finds no other package meanwhile. Any step that fails fails the test.
set(work ${BUILD}/tests/install/work)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})
file(COPY ${SOURCE}/tests/install/consumer DESTINATION ${work})

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Fails unless the command fails with a text that matches `pattern`.
function(refused pattern)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(code EQUAL 0 OR NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: code ${code}, '${text}' instead of '${pattern}'")
  endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
file(RENAME ${work}/prefix ${prefix})
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${FLAGS})
# A find_package that asks for one of these fails.
set(alone)
foreach(package IN ITEMS OpenSSL Boost nlohmann_json Threads Hiredis LibArchive)
  list(APPEND alone -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

# A backend outside this tree: begun, built and tested with what is installed, then installed beside the others (C3.11).
step(${PYTHON} -B ${prefix}/share/kmux/new_plugin.py greeter --into ${work})
step(${configure} -S ${work}/greeter -B ${work}/greeter_build ${alone})
step(${CMAKE_COMMAND} --build ${work}/greeter_build)
set(plugins ${work}/greeter_build/lib/kmux/plugins)
step(${prefix}/bin/kmux-conformance --plugin greeter --plugin-path ${plugins})

# An application, linked by each name of the runtime (C3.9).
step(${configure} -S ${work}/consumer -B ${work}/build ${alone})
step(${CMAKE_COMMAND} --build ${work}/build)
set(greeter ${work}/consumer/twice.kmux.json greeter)
set(with_greeter ${CMAKE_COMMAND} -E env KMUX_PLUGIN_PATH=${plugins})
foreach(application IN ITEMS app plain_app)
  step(${with_greeter} ${work}/build/${application} ${greeter})
endforeach()

# Without CMake: what pkg-config says, and -lkmux alone.
separate_arguments(flags UNIX_COMMAND "${FLAGS}") # a sanitized library wants its sanitizer
set(flags ${flags} -std=c++20 ${work}/consumer/app.cpp -Wl,-rpath,${prefix}/lib)
find_program(pkg_config pkgconf REQUIRED)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/lib/pkgconfig ${pkg_config} --cflags --libs kmux
  OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(said UNIX_COMMAND "${said}")
step(${LAUNCHER} ${COMPILER} ${flags} ${said} -o ${work}/by_pkg_config)
step(${LAUNCHER} ${COMPILER} ${flags} -I${prefix}/include -L${prefix}/lib -lkmux -o ${work}/by_name)
foreach(application IN ITEMS by_pkg_config by_name)
  step(${with_greeter} ${work}/${application} ${greeter})
endforeach()

# The moved worker is found; without it, isolation is an error.
set(isolated ${with_greeter} KMUX_ISOLATION=process ${work}/build/app ${greeter})
step(${isolated})
file(RENAME ${prefix}/libexec/kmux/kmux-worker ${prefix}/libexec/kmux/kmux-worker.away)
refused("no kmux-worker" ${isolated})
file(RENAME ${prefix}/libexec/kmux/kmux-worker.away ${prefix}/libexec/kmux/kmux-worker)

step(${CMAKE_COMMAND} --install ${work}/greeter_build --prefix ${prefix})
step(${work}/build/app ${greeter})
step(${prefix}/bin/kmux plugins --verify)
if(EXISTS ${prefix}/lib/kmux/plugins/kmux_cpu.so)
  step(${work}/build/app ${work}/consumer/twice.kmux.json cpu)
  step(${prefix}/bin/kmux run ${work}/consumer/twice.kmux.json --in A=random:1 --symbol n=8)
  set(examples ${prefix}/share/doc/kmux/examples)
  step(${configure} -S ${examples} -B ${work}/examples_build)
  step(${CMAKE_COMMAND} --build ${work}/examples_build --target portable saxpy)
  step(${work}/examples_build/portable ${examples}/portable/saxpy.kmux.json)
  cmake_host_system_information(RESULT platform QUERY OS_PLATFORM)
  # The script names a target of x86-64, and compiles an application without a sanitizer.
  if(platform STREQUAL x86_64 AND "$ENV{KMUX_ALL_TESTS}" STREQUAL 1 AND NOT FLAGS MATCHES "-fsanitize")
    step(sh ${SOURCE}/tests/install/deploy.sh ${prefix} ${SOURCE}/examples/kernels/saxpy.cu ${work}/deployed)
  endif()
  # The first program of docs/cpp.md.
  step(${CMAKE_COMMAND} -E env KMUX_EXECUTION_BACKEND=cpu ${work}/examples_build/saxpy)
endif()
