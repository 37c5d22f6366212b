# cmake -D LIBRARY=<file> -D NM=<nm> [-D SYMBOL=kmux_plugin_query] -P check_exports.cmake: fails unless the library exports
# exactly that symbol.
if(NOT SYMBOL)
  set(SYMBOL kmux_plugin_query)
endif()
execute_process(COMMAND ${NM} -D --defined-only --extern-only --format=just-symbols ${LIBRARY}
  OUTPUT_VARIABLE exports OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT exports STREQUAL SYMBOL)
  file(REMOVE ${LIBRARY}) # so that the next build checks again
  message(FATAL_ERROR "${LIBRARY} exports '${exports}' (it must export exactly ${SYMBOL}). "
    "A plugin has KMUX_PLUGIN(...) in one of its sources.")
endif()
