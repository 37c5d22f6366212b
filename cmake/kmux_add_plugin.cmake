# kmux_add_plugin(<name> SOURCES <file>... [LIBS <target>...]
#                 [MANIFEST <plugin.json.in>] [CONFORMANCE <conformance.txt>]   both by default if the file exists
#                 [OUTPUT_DIRECTORY <folder>] [NO_INSTALL]
#                 [UNCHECKED])   a fixture that is broken on purpose: no -z defs, no export check
#
# Makes kmux_<name>.so, which exports `kmux_plugin_query` and nothing else, and beside it kmux_<name>.plugin.json and
# kmux_<name>.conformance.txt. Sources may include "<name>/manifest.h", what the manifest says as constants. Targets: kmux_plugin_<name>, and kmux_plugin_<name>_objects for the plugin's own tests.
# The same function serves this tree and, after find_package(kmux), any other.
include(${CMAKE_CURRENT_LIST_DIR}/kmux_manifest_header.cmake)

function(kmux_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL;UNCHECKED" "MANIFEST;CONFORMANCE;OUTPUT_DIRECTORY" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "kmux_add_plugin(${name}): SOURCES is needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(target kmux_plugin_${name})
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  _kmux_plugin_file(manifest "${arg_MANIFEST}" plugin.json.in)
  _kmux_plugin_file(conformance "${arg_CONFORMANCE}" conformance.txt)
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY ${KMUX_PLUGIN_OUTPUT_DIR})
  endif()

  add_library(${target}_objects OBJECT ${arg_SOURCES})
  target_include_directories(${target}_objects PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${target}_objects PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>) # else dlclose keeps it
  target_link_libraries(${target}_objects PUBLIC kmux::sdk ${arg_LIBS} PRIVATE $<TARGET_NAME_IF_EXISTS:kmux_options>)
  add_library(${target} MODULE)
  target_link_libraries(${target} PRIVATE ${target}_objects)
  target_link_options(${target} PRIVATE LINKER:--build-id=sha1 LINKER:--version-script=${here}/plugin_exports.map)
  set_target_properties(${target}_objects ${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME kmux_${name} LINKER_LANGUAGE CXX INSTALL_RPATH ""
    LIBRARY_OUTPUT_DIRECTORY ${arg_OUTPUT_DIRECTORY} LINK_DEPENDS "${here}/plugin_exports.map;${manifest};${conformance}")

  if(NOT arg_UNCHECKED)
    # Clang leaves its sanitizers' symbols to the program, so there the two exclude each other.
    if(NOT (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize"))
      target_link_options(${target} PRIVATE LINKER:-z,defs)
    endif()
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMAND
      ${CMAKE_COMMAND} -D LIBRARY=$<TARGET_FILE:${target}> -D NM=${CMAKE_NM} -P ${here}/check_exports.cmake)
  endif()
  _kmux_describe_plugin()
endfunction()

# kmux_skip_plugin(<name> <what is missing> <what to install>): the status line of a plugin that cannot be built here.
function(kmux_skip_plugin name missing install)
  message(STATUS "kmux: plugin ${name} is left out: ${missing} not found. Install: ${install}")
endfunction()

# The absolute path of the file the author named, or of the default where that exists, else empty.
function(_kmux_plugin_file variable named default)
  if(NOT named AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${default})
    set(named ${default})
  endif()
  if(named)
    cmake_path(ABSOLUTE_PATH named BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(${variable} "${named}" PARENT_SCOPE)
endfunction()

# The files beside the library, and the installation. A macro: it reads the variables of kmux_add_plugin().
macro(_kmux_describe_plugin)
  if(manifest)
    set(template ${CMAKE_CURRENT_BINARY_DIR}/kmux_${name}.plugin.json.in)
    configure_file(${manifest} ${template} @ONLY)
    kmux_check_manifest(${name} ${template} ${manifest})
    kmux_manifest_header(${name} ${template} ${CMAKE_CURRENT_BINARY_DIR}/manifest)
    target_include_directories(${target}_objects PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/manifest)
    set(describe -D NAME=${name} -D TEMPLATE=${template} -D READELF=${CMAKE_READELF}
      -D HEADER=${KMUX_INCLUDE_DIR}/kmux/plugin/plugin.h -P ${here}/write_manifest.cmake)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMAND
      ${CMAKE_COMMAND} -D LIBRARY=$<TARGET_FILE:${target}> ${describe})
  endif()
  if(conformance)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMAND
      ${CMAKE_COMMAND} -E copy ${conformance} ${arg_OUTPUT_DIRECTORY}/kmux_${name}.conformance.txt)
  endif()
  if(NOT arg_NO_INSTALL)
    set_property(GLOBAL APPEND PROPERTY KMUX_PLUGINS ${name})
    if(TARGET kmux_product)
      add_dependencies(kmux_product ${target})
    endif()
    if(COMMAND kmux_install_built)
      kmux_install_built(${target} ${KMUX_PLUGIN_INSTALL_DIR} plugin_${name})
    else()
      install(TARGETS ${target} LIBRARY DESTINATION ${KMUX_PLUGIN_INSTALL_DIR} COMPONENT plugin_${name})
    endif()
    if(manifest) # written anew, with the digest of what is installed
      list(JOIN describe "\" \"" describe)
      install(CODE "if(EXISTS \"$<TARGET_FILE:${target}>\")
        execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${CMAKE_COMMAND}\" -D
          \"LIBRARY=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${KMUX_PLUGIN_INSTALL_DIR}/kmux_${name}.so\" -D INSTALLED=ON \"${describe}\")
      endif()" COMPONENT plugin_${name})
    endif()
    if(conformance) # the copy that is there once the library is
      install(FILES ${arg_OUTPUT_DIRECTORY}/kmux_${name}.conformance.txt DESTINATION ${KMUX_PLUGIN_INSTALL_DIR}
        COMPONENT plugin_${name} OPTIONAL)
    endif()
  endif()
endmacro()
