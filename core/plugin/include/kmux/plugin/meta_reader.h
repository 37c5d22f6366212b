#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux {

/// Returns the error for an artifact without `what` ("symbol of kernel \"f\""), which `backend` writes into each
/// artifact.
Error incomplete_artifact(std::string_view what, std::string_view backend);

/// Returns the content of a part that `backend` writes into each artifact.
///
/// Errors: invalid_argument if the part is missing.   Lifetime: the result is valid as long as `artifact`.
Result<const std::string*> required_part(const Artifact& artifact, std::string_view name, std::string_view backend);

/// The location of a program's constant in compiled code.
struct ConstantSymbol {
  std::string name;  // in the program
  std::string symbol;  // in the code
  std::uint64_t bytes = 0;  // its size in the code; 0: known only after loading
  bool operator==(const ConstantSymbol&) const = default;
};

/// A variable of compiled code, from its symbol table.
struct CodeVariable {
  std::string symbol;  // its name in the symbol table
  std::uint64_t bytes = 0;  // 0: unknown
};

/// Returns the variable among `present` for each constant: the one with an equal symbol or an equal demangled name,
/// file-local variables included.
///
/// Errors: compile_failed that names a constant that is missing or ambiguous; invalid_argument for a different size.
Result<std::vector<ConstantSymbol>> find_constants(const std::vector<Constant>& constants,
                                                   const std::vector<CodeVariable>& present);

/// Writes them into part "constants.json" of the artifact; adds no part if empty.
void set_constants(Artifact& artifact, const std::vector<ConstantSymbol>& constants);

/// Returns the content of that part; empty if the part is missing.
///
/// Errors: invalid_argument for a text that `set_constants` does not produce.
Result<std::vector<ConstantSymbol>> constants_of(const Artifact& artifact, std::string_view backend);

/// Returns the constant `name` among `constants`.
///
/// Errors: invalid_argument if it is missing.   Lifetime: the result is valid as long as `constants`.
Result<const ConstantSymbol*> symbol_of(const std::vector<ConstantSymbol>& constants, std::string_view name);

/// Checks that a constant's variable of `bytes` bytes has the declared size.
///
/// Errors: invalid_argument with both sizes.
Status check_constant_size(const Constant& constant, std::uint64_t bytes);

/// Reads the artifact's part meta.json, written by the backend at build time.
class MetaReader {
 public:
  /// `backend` is the name for messages.
  ///
  /// Errors: invalid_argument for a text that is not JSON.
  static Result<MetaReader> parse(std::string_view text, std::string backend);

  /// Reads the member `key`. Lists and maps are appended to.
  ///
  /// Errors: invalid_argument that names the key, if it is missing or of another kind.
  Status read(const std::string& key, std::string& text) const;
  /// Same for a bool.
  Status read(const std::string& key, bool& choice) const;
  /// Same for a list of strings.
  Status read(const std::string& key, std::vector<std::string>& texts) const;
  /// Same for an object of strings.
  Status read(const std::string& key, std::map<std::string, std::string>& texts) const;

 private:
  MetaReader(Json meta, std::string backend) : meta_(std::move(meta)), backend_(std::move(backend)) {}
  Error malformed(const std::string& key) const;

  Json meta_;
  std::string backend_;
};

}  // namespace kmux
