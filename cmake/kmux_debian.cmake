# SPDX-License-Identifier: Apache-2.0
# Packages for Debian 12: kmux (runtime and command), kmux-plugin-NAME, kmux-dev and python3-kmux. They take the C++ library from
# Debian; everything else that they need is linked in, so only a build that links LLVM in can make them.
if(NOT KMUX_CPU_IS_SELF_CONTAINED)
  return()
endif()
list(APPEND CPACK_GENERATOR DEB)
set(python_components)
if(TARGET kmux_tvm_ffi)
  set(python_components tvm_ffi python)
endif()
string(REPLACE ";" " " python_words "${python_components}")
# For DEB alone: a package for each group of components, and /usr for a prefix.
configure_file(${CMAKE_CURRENT_LIST_DIR}/kmux_debian_components.cmake.in ${PROJECT_BINARY_DIR}/kmux_debian_components.cmake @ONLY)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/kmux_debian_components.cmake)

if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "The authors of kmux <maintainers@kmux.invalid>") # -D CPACK_PACKAGE_CONTACT= of those who publish
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip) # a tenth of xz's time for a quarter more bytes
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()

# _kmux_package(<group> <name> <depends> <description> <component>...)
function(_kmux_package group name depends description)
  string(TOUPPER ${group} upper)
  set(CPACK_COMPONENT_GROUP_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  foreach(component IN LISTS ARGN)
    string(TOUPPER ${component} component)
    set(CPACK_COMPONENT_${component}_GROUP ${group} PARENT_SCOPE)
  endforeach()
endfunction()

set(same "kmux (= ${PROJECT_VERSION})")
_kmux_package(base kmux "libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1" "Runs compute kernels, picks the backend at run time
The runtime libkmux, the command kmux and the process in which plugins compile. Each backend is a package of its own,
kmux-plugin-NAME." runtime licences)
_kmux_package(development kmux-dev "${same}" "Headers of kmux, and what begins and tests a backend
Headers, the files of find_package(kmux), the conformance suite, examples and pages." dev)
if(python_components)
  _kmux_package(python python3-kmux "${same}, python3 (>= 3.9)" "Python package of kmux
It needs packages that Debian 12 lacks: pip install apache-tvm-ffi typing_extensions." ${python_components})
endif()
get_property(plugins GLOBAL PROPERTY KMUX_PLUGINS)
foreach(plugin IN LISTS plugins)
  _kmux_package(backend_${plugin} kmux-plugin-${plugin} "${same}" "Backend ${plugin} of kmux
A plugin that the runtime of kmux finds where it is installed." plugin_${plugin})
endforeach()

# What Debian wants to be told of the licence.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/copyright CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: kmux

Files: *
Copyright: The authors of kmux
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0. What is linked in has its licences in
 /usr/share/doc/kmux/licences.
")
install(FILES ${PROJECT_BINARY_DIR}/debian/copyright DESTINATION share/doc/kmux ${licences})
# Its libraries are found by the dynamic linker at once.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_BASE_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)

# The Python package, where Debian's Python looks; its libraries are those of component tvm_ffi.
if(python_components)
  set(python_dir lib/python3/dist-packages)
  set(python COMPONENT python EXCLUDE_FROM_ALL)
  install(DIRECTORY integrations/tvm_ffi/python/kmux DESTINATION ${python_dir} ${python} PATTERN __pycache__ EXCLUDE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/METADATA CONTENT
"Metadata-Version: 2.4
Name: kmux
Version: ${PROJECT_VERSION}
Summary: ${PROJECT_DESCRIPTION}
License-Expression: Apache-2.0
Requires-Dist: apache-tvm-ffi>=0.1.11
")
  install(FILES ${PROJECT_BINARY_DIR}/debian/METADATA DESTINATION ${python_dir}/kmux-${PROJECT_VERSION}.dist-info ${python})
endif()
