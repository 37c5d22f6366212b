# cmake -D LIBRARY=<file> -D NM=<nm> [-D WITHOUT=<text>] -P check_replaced.cmake: fails if the library takes __cxa_atexit from the C library, which
# would destroy its static objects under threads that still use them (loader/replaced_symbols.cpp).
execute_process(COMMAND ${NM} -D --undefined-only --format=just-symbols ${LIBRARY}
  OUTPUT_VARIABLE needs COMMAND_ERROR_IS_FATAL ANY)
if(needs MATCHES "__cxa_atexit")
  file(REMOVE ${LIBRARY}) # so that the next build checks again
  message(FATAL_ERROR "${LIBRARY} takes __cxa_atexit from the C library (its static objects would be destroyed when the "
    "process ends). Link loader/replaced_symbols.cpp into it.")
endif()

# What is not to be linked in: an archive's reader of another format (loader/replaced_symbols.cpp) would bring it.
if(DEFINED WITHOUT)
  execute_process(COMMAND ${NM} -C --defined-only ${LIBRARY} OUTPUT_VARIABLE has COMMAND_ERROR_IS_FATAL ANY)
  if(has MATCHES "[^\n]*${WITHOUT}[^\n]*")
    file(REMOVE ${LIBRARY})
    message(FATAL_ERROR "${LIBRARY} has \"${CMAKE_MATCH_0}\" linked in (it opens slower than it need). See which archive brings it "
      "(-Wl,-Map), and define in loader/replaced_symbols.cpp what names it.")
  endif()
endif()
