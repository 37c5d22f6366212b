# cmake -D SYMBOL= -D OUTPUT= -D FILES=<list> -P write_embedded.cmake: see kmux_embed().
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  string(REGEX REPLACE "(^|\n)#pragma once\n" "\\1" content "${content}")
  string(REGEX REPLACE "(^|\n)#include \"[^\n]*" "\\1" content "${content}")
  string(APPEND text "${content}")
endforeach()
file(WRITE ${OUTPUT} "#include <string_view>

namespace kmux {
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL} = R\"kmux_text(${text})kmux_text\";
}  // namespace kmux
")
