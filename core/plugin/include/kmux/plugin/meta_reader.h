#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux {

/// The refusal of an artifact without `what` ("symbol of kernel \"f\"") that `backend` puts into each.
Error incomplete_artifact(std::string_view what, std::string_view backend);

/// The content of a part that `backend` puts into each artifact.
///
/// Errors: invalid_argument if there is none.   Lifetime: borrows `artifact`.
Result<const std::string*> required_part(const Artifact& artifact, std::string_view name, std::string_view backend);

/// Reads the artifact's part meta.json, which a backend wrote when it built.
class MetaReader {
 public:
  /// `backend` is the name in messages.
  ///
  /// Errors: invalid_argument for a text that is not JSON.
  static Result<MetaReader> parse(std::string_view text, std::string backend);

  /// Each reads the member `key`; lists and maps are added to what is there.
  ///
  /// Errors: invalid_argument that names the key, if it is absent or of another kind.
  Status read(const std::string& key, std::string& text) const;
  /// A bool.
  Status read(const std::string& key, bool& choice) const;
  /// A list of texts.
  Status read(const std::string& key, std::vector<std::string>& texts) const;
  /// An object of texts.
  Status read(const std::string& key, std::map<std::string, std::string>& texts) const;

 private:
  MetaReader(Json meta, std::string backend) : meta_(std::move(meta)), backend_(std::move(backend)) {}
  Error malformed(const std::string& key) const;

  Json meta_;
  std::string backend_;
};

}  // namespace kmux
