# cmake -D NAME= -D LIBRARY= -D TEMPLATE= -D HEADER= -D READELF= [-D INSTALLED=ON] -P write_manifest.cmake
# Writes <library>.plugin.json beside the library: the author's facts, and those that only the built file knows. Where
# it is installed, its SHA-256 too, for `kmux plugins --verify`.
cmake_path(GET LIBRARY FILENAME file_name)
cmake_path(REPLACE_EXTENSION LIBRARY LAST_ONLY plugin.json OUTPUT_VARIABLE output)
file(SIZE ${LIBRARY} size)

execute_process(COMMAND ${READELF} -n ${LIBRARY} OUTPUT_VARIABLE notes ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
  message(FATAL_ERROR "${LIBRARY} has no build id. Link it with -Wl,--build-id=sha1.")
endif()
set(build_id ${CMAKE_MATCH_1})

set(abi 0)
file(STRINGS ${HEADER} line REGEX "define KMUX_PLUGIN_ABI_VERSION +[0-9]+")
if(line MATCHES "KMUX_PLUGIN_ABI_VERSION +([0-9]+)")
  set(abi ${CMAKE_MATCH_1})
endif()

file(READ ${TEMPLATE} manifest)
# What the author wrote stays, so that a fixture can lie about its build id or its ABI.
foreach(fact IN ITEMS "name;\"${NAME}\"" "library;\"${file_name}\"" "abi;{\"min\": ${abi}, \"max\": ${abi}}"
    "build_id;\"${build_id}\"" "size;${size}")
  list(POP_FRONT fact key)
  string(JSON given ERROR_VARIABLE absent GET "${manifest}" ${key})
  if(absent)
    string(JSON manifest SET "${manifest}" ${key} "${fact}")
  elseif(key STREQUAL "name" AND NOT given STREQUAL NAME)
    message(FATAL_ERROR "${TEMPLATE} names the plugin '${given}' (it is built as '${NAME}'). Use one name.")
  endif()
endforeach()
if(INSTALLED)
  file(SHA256 ${LIBRARY} sha256)
  string(JSON manifest SET "${manifest}" sha256 "\"${sha256}\"")
endif()
file(WRITE ${output} "${manifest}\n")
