#pragma once

#include <cstdint>

// The data that gdb reads in a process to find code that was compiled in it. The names and layouts are gdb's.
//
// Source: GDB's manual, "JIT Compilation Interface".
extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};

struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

extern jit_descriptor __jit_debug_descriptor;  // NOLINT(bugprone-reserved-identifier)
}
