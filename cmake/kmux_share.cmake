# What lies below share/: the pages with the examples that they link, laid out as in this tree, and what begins a plugin.
install(DIRECTORY examples/ DESTINATION share/doc/kmux/examples COMPONENT dev
  PATTERN installed EXCLUDE PATTERN plugins EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN *_test.py EXCLUDE PATTERN run.sh EXCLUDE
  PATTERN __pycache__ EXCLUDE)
install(FILES examples/installed/CMakeLists.txt DESTINATION share/doc/kmux/examples COMPONENT dev)
install(DIRECTORY examples/plugins DESTINATION share/doc/kmux/examples COMPONENT dev PATTERN tests EXCLUDE PATTERN plugin_test.cmake EXCLUDE)

find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND) # after the examples: links to what is not there become text
  install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${Python3_EXECUTABLE}\" -B
    \"${PROJECT_SOURCE_DIR}/tools/package_pages.py\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/kmux\")" COMPONENT dev)
else()
  message(STATUS "kmux: the pages are not installed: Python 3.9 not found. Install: apt-get install python3")
endif()

install(PROGRAMS tools/new_plugin.py DESTINATION share/kmux COMPONENT dev)
install(DIRECTORY tests/fakes/null/ DESTINATION share/kmux/plugin_template COMPONENT dev PATTERN CMakeLists.txt EXCLUDE)
