# What find_package(kmux) gives: kmux::sdk, kmux::runtime (kmux::kmux, kmux) and kmux_add_plugin().
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kmux)

install(TARGETS kmux_sdk kmux_runtime EXPORT kmux_targets FILE_SET HEADERS)
install(EXPORT kmux_targets NAMESPACE kmux:: FILE kmux-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/kmux-config.cmake.in ${PROJECT_BINARY_DIR}/kmux-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kmux-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/kmux-config.cmake ${PROJECT_BINARY_DIR}/kmux-config-version.cmake
  cmake/kmux_add_plugin.cmake cmake/kmux_manifest_header.cmake cmake/check_exports.cmake cmake/write_manifest.cmake
  cmake/plugin_exports.map
  DESTINATION ${package_dir})
