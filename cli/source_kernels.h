#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux::cli {

/// A parameter as written in the source.
struct KernelParameter {
  std::string name;
  std::string type;   // as written
  std::string dtype;  // of the value or the pointee; empty: not a kmux dtype
  std::string kind;   // "value", "pointer", "pointer to const", "reference" or "undeclared"
  std::string word = {};  // its name without that of the enclosing structure
  std::vector<KernelParameter> members = {};  // of a structure that a launch can assemble
  std::int64_t alignment_bytes = 0;  // declared alignment of the structure; 0: that of its members
  std::string problem = {};  // why no launch can assemble it; empty: one can, or it is not a structure
};

/// Returns the numbers and addresses that callers pass for `parameters`: themselves, or the members of structures.
std::vector<KernelParameter> all_passed(const std::vector<KernelParameter>& parameters);

/// Returns true for a number, including number classes such as __half; false for vectors, complex numbers, which have
/// two members, and other classes.
bool is_scalar(const KernelParameter& parameter);

/// A function that a launch can name.
struct SourceKernel {
  std::string name;
  std::string templates;  // names of its template parameters; empty: not a template
  bool returns_int = false;
  std::string body;  // the source from its name on, without blanks
  std::string types = {};  // of its parameters, as a launch of an overload names them
  bool has_dynamic_memory = false;  // it may use shared memory whose bytes a launch gives
  std::vector<KernelParameter> parameters = {};
};

/// A source without a program.
struct NewSource {
  std::string path;
  std::string content;
  std::string dialect;
};

/// Reads the source for `kmux new`.
///
/// Errors: invalid_argument for a file of another kind, and for one that already contains a program; those of reading a
/// file.
Result<NewSource> read_source(const std::string& path);

/// Returns the headers in the source's folder that it includes, directly or indirectly, by their paths relative to it.
std::vector<std::string> headers_beside(const NewSource& source);

/// Returns the source's functions that a launch can name, as parsed by the Clang of backend cpu (docs/design/0042).
/// Overloads have their parameter types in their names: "scale(float *, int)".
///
/// Errors: those of a build, with Clang's messages.
Result<std::vector<SourceKernel>> source_kernels(const NewSource& source, const std::vector<std::string>& folders);

/// Returns the names that users may use for the kernel: the full name, without template arguments, without namespaces,
/// and without both.
std::vector<std::string> names_of(const SourceKernel& kernel);

/// Keeps the `kernels` that `names` refer to.
///
/// Errors: invalid_argument for an unknown name.
Status keep_named(std::vector<SourceKernel>& kernels, const std::vector<std::string>& names, const std::string& path);

}  // namespace kmux::cli
