# Compiles jit_misuse.cpp, which is right without KMUX_MISUSE, and looks for what the compiler says of each function with it.
# cmake -D COMPILER=... -D INCLUDES=-I...;-I... -P jit_misuse.cmake
set(compile ${COMPILER} -std=c++20 -fsyntax-only ${INCLUDES} ${CMAKE_CURRENT_LIST_DIR}/jit_misuse.cpp)
execute_process(COMMAND ${compile} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${compile} -DKMUX_MISUSE RESULT_VARIABLE code ERROR_VARIABLE text)
if(code EQUAL 0)
  message(FATAL_ERROR "misuses are compiled")
endif()
foreach(message IN ITEMS
    "error: [^\n]*the configuration of a jit function is described once"
    "error: [^\n]*BOOST_DESCRIBE_STRUCT names all members of a configuration"
    "error: [^\n]*a generic lambda or an overloaded function has no one type"
    "error: [^\n]*an eager wrapper is called with"
    "error: [^\n]*JitOutputs fn.JitBuilder&")
  if(NOT text MATCHES "${message}")
    message(FATAL_ERROR "no '${message}' in ${text}")
  endif()
endforeach()
# A second parameter, a generic lambda, an eager wrapper without a builder.
string(REGEX MATCHALL "error: [^\n]*kmux::jit takes 'Program fn" forms "${text}")
list(LENGTH forms count)
if(NOT count EQUAL 3)
  message(FATAL_ERROR "${count} functions of another form instead of 3 in ${text}")
endif()
