#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kmux::fake_cuda {

/// The offset and size of a kernel's parameter.
struct Parameter {
  std::size_t offset;
  std::size_t size;
};

/// The properties that the fake reads of a kernel in a cubin.
struct CubinKernel {
  std::vector<Parameter> parameters;
  int static_shared_bytes = 0;
};

struct Cubin {
  std::map<std::string, CubinKernel> kernels;
  std::map<std::string, std::size_t> variables;  // their bytes
  int arch = 0;  // 90 for sm_90
};

/// Reads a 64-bit ELF image; empty if `code` is not one (PTX, or bytes of a test).
///
/// Source: ELF-64 Object File Format 1.5; EIATTR_KPARAM_INFO (0x17) of ".nv.info.NAME" as cuobjdump -elf prints it.
std::optional<Cubin> read_cubin(const void* code);

/// An entry of a fatbin. Its code is not read: only the driver decompresses it.
struct FatbinCode {
  int arch = 0;  // 90 for sm_90
  bool is_ptx = false;
};

/// Returns the entries of a fatbin; empty if `code` is not one.
///
/// Source: the fatbins of CUDA 13.0.
std::vector<FatbinCode> read_fatbin(const void* code);

/// Returns true if `code` is neither a cubin nor text. PTX and the bytes of tests are text.
bool is_junk(const void* code);

}  // namespace kmux::fake_cuda
