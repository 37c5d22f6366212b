# kmux_embed(<target> <symbol> <file>...): adds `extern const std::string_view kmux::<symbol>` to the target, the text of
# the files one after another, for C++ that is printed into generated code. Their includes of each other are left out.
function(kmux_embed target symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  set(files)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND files ${file})
  endforeach()
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_embedded.cmake)
  add_custom_command(OUTPUT ${output} DEPENDS ${files} ${script} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D SYMBOL=${symbol} -D OUTPUT=${output} "-DFILES=${files}" -P ${script})
  target_sources(${target} PRIVATE ${output})
endfunction()
