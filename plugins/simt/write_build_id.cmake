# cmake -D LIBRARY=<file> -D READELF=<readelf> -D OUTPUT=<file> -D HEADERS=<folder> -D INSTALLED=<file> -P write_build_id.cmake: writes
# what stands for the library in keys of the cache (device.cpp), its build id and where its headers are, as it is built and as it is installed.
execute_process(COMMAND ${READELF} -n ${LIBRARY} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
  file(REMOVE ${LIBRARY}) # so that the next build looks again
  message(FATAL_ERROR "${LIBRARY} has no build id. Link it with --build-id.")
endif()
file(WRITE ${OUTPUT} "${CMAKE_MATCH_1}\n${HEADERS}\n")
file(WRITE ${INSTALLED} "${CMAKE_MATCH_1}\nbeside the plugin\n")
