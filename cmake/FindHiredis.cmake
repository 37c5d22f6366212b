# Hiredis::Hiredis: the client library of Redis. Its archive where there is one: libkmux.so then loads on machines without
# it. (Debian's is compiled as position-independent code.)
find_path(HIREDIS_INCLUDE_DIR hiredis/hiredis.h)
find_library(HIREDIS_LIBRARY NAMES libhiredis.a hiredis)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hiredis REQUIRED_VARS HIREDIS_LIBRARY HIREDIS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Install: apt-get install libhiredis-dev")
mark_as_advanced(HIREDIS_INCLUDE_DIR HIREDIS_LIBRARY)

if(Hiredis_FOUND AND NOT TARGET Hiredis::Hiredis)
  add_library(Hiredis::Hiredis UNKNOWN IMPORTED)
  set_target_properties(Hiredis::Hiredis PROPERTIES
    IMPORTED_LOCATION ${HIREDIS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${HIREDIS_INCLUDE_DIR})
endif()
