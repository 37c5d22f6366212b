# What the conformance suite does not ask of it; included by plugin_test.cmake.
set(kmux ${prefix}/bin/kmux)
set(tests ${work}/${name}/tests)

# Chosen by `auto`, with the right result, and compared with the host's.
set(portable ${prefix}/share/doc/kmux/examples/portable/saxpy.kmux.json)
expect(0 "backend 'auto' -> opencl for opencl:" ${kmux} resolve ${portable})
foreach(program IN ITEMS ${portable} ${tests}/reverse.kmux)
  expect(0 "results checked against cpu" ${kmux} bench ${program} --backends cpu,opencl --fail-if wrong --set n=9600 --time 0.2
    --repetitions 1)
endforeach()

# What cannot be is refused by its name.
expect(4 "opencl:nobodys" ${kmux} compile ${portable} --backend opencl --target opencl:nobodys)
expect(3 "no device 99" ${kmux} compile ${portable} --backend opencl --target opencl:99)
execute_process(COMMAND ${kmux} run ${tests}/wide.cl RESULT_VARIABLE result ERROR_VARIABLE text OUTPUT_VARIABLE text)
if(NOT result EQUAL 0 AND NOT text MATCHES "does not have it ./variants/0/requires/features")
  message(FATAL_ERROR "wide.cl: code ${result}, '${text}'")
endif()

# Without shared virtual memory, as where a driver has OpenCL 1.2 alone: an address within a buffer is one of a part of it.
set(ENV{KMUX_OPENCL_MEMORY} buffers)
step(${conformance} "--gtest_filter=-Constants.*:Arguments.ByteOffsetsAreHonoured:Geometry.WorkspacesAreAlignedAsDeclared")
expect(0 "" ${kmux} bench ${tests}/reverse.kmux --backends cpu,opencl --fail-if wrong --set n=9600 --time 0.2 --repetitions 1)
unset(ENV{KMUX_OPENCL_MEMORY})

# Several devices, which PoCL has when it is told so.
set(ENV{POCL_DEVICES} "basic pthread")
execute_process(COMMAND ${kmux} devices OUTPUT_VARIABLE devices)
if(devices MATCHES "opencl:1")
  step(${kmux} run ${tests}/reverse.kmux --backend opencl --device 1)
endif()
