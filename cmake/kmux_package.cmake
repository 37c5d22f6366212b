# What find_package(kmux) gives: kmux::sdk, kmux::runtime (kmux::kmux, kmux) and kmux_add_plugin(); and what -lkmux and pkg-config link.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kmux)

install(TARGETS kmux_sdk kmux_runtime EXPORT kmux_targets LIBRARY COMPONENT runtime NAMELINK_SKIP
  ARCHIVE COMPONENT dev FILE_SET HEADERS COMPONENT dev)
install(EXPORT kmux_targets NAMESPACE kmux:: FILE kmux-targets.cmake DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/kmux-config.cmake.in ${PROJECT_BINARY_DIR}/kmux-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kmux-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/kmux-config.cmake ${PROJECT_BINARY_DIR}/kmux-config-version.cmake
  cmake/kmux_add_plugin.cmake cmake/kmux_manifest_header.cmake cmake/check_exports.cmake cmake/write_manifest.cmake
  cmake/plugin_exports.map
  DESTINATION ${package_dir} COMPONENT dev)
# Other build systems: a script of the linker in the place of the link, as -lkmux alone has to link an application.
if(APPLE)
  install(FILES $<TARGET_LINKER_FILE:kmux_runtime> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
else()
  install(FILES cmake/libkmux.so.txt RENAME libkmux.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
configure_file(cmake/kmux.pc.in ${PROJECT_BINARY_DIR}/kmux.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kmux.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES LICENSE DESTINATION share/doc/kmux COMPONENT runtime)

# What an installation lacks because it was not built.
get_property(installed GLOBAL PROPERTY KMUX_INSTALLED_TARGETS)
list(TRANSFORM installed REPLACE "(.+)" "$<TARGET_FILE:\\1>")
install(CODE "set(built \"${installed}\")
  set(missing)
  foreach(file IN LISTS built)
    if(NOT EXISTS \"\${file}\")
      cmake_path(GET file FILENAME file)
      list(APPEND missing \${file})
    endif()
  endforeach()
  if(missing)
    list(JOIN missing \", \" missing)
    message(STATUS \"kmux: left out, as not built: \${missing}. Build them first: cmake --build ${PROJECT_BINARY_DIR} --target kmux_product\")
  endif()" COMPONENT runtime)
