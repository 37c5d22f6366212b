# cmake -D LIBRARY=<file> -D NM=<nm> -P check_immortal.cmake: fails if the library takes __cxa_atexit from the C library, which
# would destroy its static objects under threads that still use them (engine/immortal_statics.cpp).
execute_process(COMMAND ${NM} -D --undefined-only --format=just-symbols ${LIBRARY}
  OUTPUT_VARIABLE needs COMMAND_ERROR_IS_FATAL ANY)
if(needs MATCHES "__cxa_atexit")
  file(REMOVE ${LIBRARY}) # so that the next build checks again
  message(FATAL_ERROR "${LIBRARY} takes __cxa_atexit from the C library (its static objects would be destroyed when the "
    "process ends). Link engine/immortal_statics.cpp into it.")
endif()
