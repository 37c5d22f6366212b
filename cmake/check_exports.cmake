# cmake -D LIBRARY=<file> -D NM=<nm> -P check_exports.cmake: fails unless the library exports exactly kmux_plugin_query.
execute_process(COMMAND ${NM} -D --defined-only --extern-only --format=just-symbols ${LIBRARY}
  OUTPUT_VARIABLE exports OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT exports STREQUAL "kmux_plugin_query")
  file(REMOVE ${LIBRARY}) # so that the next build checks again
  message(FATAL_ERROR "${LIBRARY} exports '${exports}' (a plugin exports exactly kmux_plugin_query). "
    "Put KMUX_PLUGIN(...) into one of its sources.")
endif()
