# kmux_simt_llvm: Clang and LLVM 19 as the cpu plugin links them, with KMUX_CPU_NEEDS and KMUX_CPU_BACKGROUND for its manifest.
# Static, nothing of them is visible outside the plugin: Debian's libclang-cpp has symbols without versions, and two
# such libraries in one process, of whatever release, call into each other (docs/design/0007-static-compiler.md).
option(KMUX_STATIC_LLVM "Link Clang and LLVM into the cpu plugin (needs Debian's archives; else shared libraries)" ON)

# What the plugin's own sources name; llvm-config adds what those need. On x86-64 code is made for AArch64, too.
set(KMUX_CPU_LLVM_COMPONENTS
  bitreader coroutines coverage frontenddriver frontendhlsl frontendopenmp instrumentation ipo irreader linker lto
  aarch64 mcparser native objcarcopts option orcjit passes profiledata support targetparser windowsdriver)
set(KMUX_CPU_CLANG_LIBRARIES
  APINotes Analysis AST ASTMatchers Basic CodeGen Driver Edit Frontend Lex Parse Sema Serialization Support)

# Sets `archives` to the files of a static link, or `missing` to one that is not there.
function(_kmux_llvm_archives archives missing)
  execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${KMUX_LLVM_PREFIX}/bin/llvm-config
    --link-static --libfiles ${KMUX_CPU_LLVM_COMPONENTS}
    OUTPUT_VARIABLE files ERROR_VARIABLE complaint RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status)
    string(REGEX MATCH "[^\n]+" complaint "${complaint} ${status}")
    set(${missing} "${complaint}" PARENT_SCOPE)
    return()
  endif()
  separate_arguments(files UNIX_COMMAND "${files}")
  list(TRANSFORM KMUX_CPU_CLANG_LIBRARIES REPLACE ".+" "${KMUX_LLVM_PREFIX}/lib/libclang\\0.a" OUTPUT_VARIABLE clang)
  list(PREPEND files ${clang})
  foreach(name IN ITEMS z zstd)
    find_library(KMUX_CPU_ARCHIVE_${name} lib${name}.a)
    list(APPEND files ${KMUX_CPU_ARCHIVE_${name}})
  endforeach()
  foreach(file IN LISTS files)
    if(NOT EXISTS ${file})
      set(${missing} ${file} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${archives} "${files}" PARENT_SCOPE)
endfunction()

add_library(kmux_simt_llvm INTERFACE)
set(archives "")
if(KMUX_STATIC_LLVM)
  _kmux_llvm_archives(archives missing)
  if(NOT archives)
    message(STATUS "kmux: plugin cpu takes LLVM's shared libraries: ${missing} not found. Install: "
      "apt-get install llvm-19-dev libclang-19-dev libpolly-19-dev libzstd-dev zlib1g-dev")
  endif()
endif()

if(archives)
  include(CheckLinkerFlag)
  # Opens faster; glibc 2.36 reads it. A linker that cannot do it for AArch64 only warns.
  check_linker_flag(CXX LINKER:--fatal-warnings,-z,pack-relative-relocs KMUX_CPU_PACKS_RELOCATIONS)
  list(JOIN archives "," group)
  target_link_libraries(kmux_simt_llvm INTERFACE "$<LINK_GROUP:RESCAN,${group}>" Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(kmux_simt_llvm INTERFACE
    LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:-Bsymbolic LINKER:--as-needed
    $<$<BOOL:${KMUX_CPU_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
  target_compile_definitions(kmux_simt_llvm INTERFACE KMUX_STATIC_LLVM=1)
  set(KMUX_CPU_NEEDS "[]" CACHE INTERNAL "")
  set(KMUX_CPU_BACKGROUND "" CACHE INTERNAL "")
  set(KMUX_CPU_IS_SELF_CONTAINED ON CACHE INTERNAL "The cpu plugin has Clang and LLVM in it")
else()
  set(KMUX_CPU_IS_SELF_CONTAINED OFF CACHE INTERNAL "")
  target_link_libraries(kmux_simt_llvm INTERFACE clang-cpp LLVM ${CMAKE_DL_LIBS})
  target_compile_definitions(kmux_simt_llvm INTERFACE KMUX_STATIC_LLVM=0)
  set(KMUX_CPU_BACKGROUND "\n  \"background\": \"process\"," CACHE INTERNAL "") # a shared library's static objects are destroyed at exit
  set(KMUX_CPU_NEEDS [=[[
    {"library": "libclang-cpp.so.19.1", "hint": "apt-get install libclang-cpp19"},
    {"library": "libLLVM.so.19.1", "hint": "apt-get install libllvm19"}
  ]]=] CACHE INTERNAL "")
endif()
