#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kmux::fake_cuda {

/// Where a parameter of a kernel lies.
struct Parameter {
  std::size_t offset;
  std::size_t size;
};

/// What the fake reads of a kernel in a cubin.
struct CubinKernel {
  std::vector<Parameter> parameters;
  int static_shared_bytes = 0;
};

struct Cubin {
  std::map<std::string, CubinKernel> kernels;
  std::map<std::string, std::size_t> variables;  // their bytes
  int arch = 0;  // 90 for sm_90
};

/// Reads an ELF image of 64 bits; nothing if `code` is none (PTX, or bytes of a test).
///
/// Source: ELF-64 Object File Format 1.5; EIATTR_KPARAM_INFO (0x17) of ".nv.info.NAME" as cuobjdump -elf prints it.
std::optional<Cubin> read_cubin(const void* code);

/// Code in a fatbin, whatever it holds: the driver takes out what is compressed.
struct FatbinCode {
  int arch = 0;  // 90 for sm_90
  bool is_ptx = false;
};

/// What a fatbin has; nothing if `code` is none.
///
/// Source: the fatbins of CUDA 13.0.
std::vector<FatbinCode> read_fatbin(const void* code);

/// Whether `code` is neither a cubin nor text, as PTX and the bytes of tests are.
bool is_junk(const void* code);

}  // namespace kmux::fake_cuda
