# cmake -D NAME= -D LIBRARY= -D TEMPLATE= -D HEADER= -D READELF= [-D INSTALLED=ON] -P write_manifest.cmake
# Writes <library>.plugin.json beside the library: the author's facts, and those that only the built file knows. Where
# it is installed, its SHA-256 too, for `kmux plugins --verify`.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET LIBRARY FILENAME file_name)
cmake_path(REPLACE_EXTENSION LIBRARY LAST_ONLY plugin.json OUTPUT_VARIABLE output)

execute_process(COMMAND ${READELF} -n ${LIBRARY} OUTPUT_VARIABLE notes ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
  message(FATAL_ERROR "${LIBRARY} has no build id. Link it with -Wl,--build-id=sha1.")
endif()
set(build_id ${CMAKE_MATCH_1})

# The oldest host that a plugin of this header takes, and the version of its table.
foreach(bound IN ITEMS OLDEST VERSION)
  file(STRINGS ${HEADER} line REGEX "define KMUX_PLUGIN_ABI_${bound} +[0-9]+")
  if(NOT line MATCHES "KMUX_PLUGIN_ABI_${bound} +([0-9]+)")
    message(FATAL_ERROR "${HEADER} has no KMUX_PLUGIN_ABI_${bound}. Name the plugin.h of kmux.")
  endif()
  set(abi_${bound} ${CMAKE_MATCH_1})
endforeach()

file(READ ${TEMPLATE} manifest)
# What the author wrote stays, so that a fixture can lie about its build id or its ABI.
foreach(fact IN ITEMS "name;\"${NAME}\"" "library;\"${file_name}\"" "abi;{\"min\": ${abi_OLDEST}, \"max\": ${abi_VERSION}}"
    "build_id;\"${build_id}\"")
  list(POP_FRONT fact key)
  string(JSON given ERROR_VARIABLE absent GET "${manifest}" ${key})
  if(absent)
    string(JSON manifest SET "${manifest}" ${key} "${fact}")
  elseif(key STREQUAL "name" AND NOT given STREQUAL NAME)
    message(FATAL_ERROR "${TEMPLATE} names the plugin '${given}' (it is built as '${NAME}'). Use one name.")
  endif()
endforeach()
# kmux skips keys that it does not know, since a later kmux may; what is misspelt is found here.
set(known abi aliases arch_match architectures background build_id builds compile_ms critical device_types dialects environment features
  foreign_dialects library name needs parallel priority ready_dialects sha256 summary target_hosts targets tiers unkeyed version)
string(JSON count LENGTH "${manifest}")
math(EXPR last "${count} - 1")
string(JSON critical ERROR_VARIABLE absent GET "${manifest}" critical)
foreach(i RANGE ${last})
  string(JSON key MEMBER "${manifest}" ${i})
  if(NOT key IN_LIST known AND NOT key MATCHES "^x_" AND NOT critical MATCHES "\"${key}\"")
    message(FATAL_ERROR "${TEMPLATE} has key '${key}', which no kmux of this release reads. Correct it, or begin it with x_ "
      "if it is the plugin's own.")
  endif()
endforeach()
if(INSTALLED)
  file(SHA256 ${LIBRARY} sha256)
  string(JSON manifest SET "${manifest}" sha256 "\"${sha256}\"")
endif()
# On one line: each process that looks for plugins reads all of them. A string has no line break, so these are the indentation.
string(REGEX REPLACE "\n *" "" manifest "${manifest}")
file(WRITE ${output} "${manifest}\n")
