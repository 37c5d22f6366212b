# Where things lie. The build tree has the shape of the installed one, so both work from wherever they are moved.
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Libraries, below the prefix")
include(GNUInstallDirs)

# The one variable behind both the path that plugins are installed to and the path that libkmux.so searches.
set(KMUX_PLUGIN_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/kmux/plugins CACHE STRING "Plugins, below the prefix")
set(KMUX_PLUGIN_OUTPUT_DIR ${PROJECT_BINARY_DIR}/${KMUX_PLUGIN_INSTALL_DIR})
# What a package brings along for a machine that lacks it (kmux_bundle.cmake); elsewhere there is no such folder.
set(KMUX_BUNDLED_DIR ${CMAKE_INSTALL_LIBDIR}/kmux/bundled)
set(KMUX_INCLUDE_DIR ${PROJECT_SOURCE_DIR}/core/base/include) # where plugin.h is

set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON) # $ORIGIN only, see kmux_add_room

# kmux_install_built(<target> <folder> <component>): installs the target into the folder below the prefix, if it was built. A build
# of some targets alone lacks others, as that of `kmux.sh demo` does; kmux_package.cmake names those at the end.
function(kmux_install_built target folder component)
  set(rule DESTINATION ${folder} COMPONENT ${component} OPTIONAL)
  install(TARGETS ${target} RUNTIME ${rule} LIBRARY ${rule})
  set_property(GLOBAL APPEND PROPERTY KMUX_INSTALLED_TARGETS ${target})
endfunction()

# kmux_add_room(<folder> <output>): adds the folder as soon as it has a CMakeLists.txt; its programs go to build/<preset>/<output>.
function(kmux_add_room folder output)
  file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
  if(found)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${output})
    file(RELATIVE_PATH to_lib /${output} /${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH to_bundled /${output} /${KMUX_BUNDLED_DIR})
    set(CMAKE_INSTALL_RPATH $ORIGIN/${to_lib} $ORIGIN/${to_bundled})
    add_subdirectory(${PROJECT_SOURCE_DIR}/${folder})
  endif()
endfunction()
