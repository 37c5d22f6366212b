#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"
#include "kmux/target.h"

namespace kmux {

/// What of targets a backend takes, in words, to refuse others with.
struct TargetForms {
  std::string_view backend;
  std::string_view kinds;       // "auto, cuda and sm_NN"
  std::string_view attributes;  // "arch"
  std::string_view examples;    // R"("cuda" or "cuda:sm_90a")"
};

/// invalid_argument: `target` is not one of the backend.
Error unknown_kind(const Target& target, const TargetForms& forms);

/// invalid_argument: the backend does not know attribute `key`, or not with this value.
Error unknown_attribute(const std::string& key, const std::string& value, const TargetForms& forms);

/// What becomes of `why` there is no device whose architecture could be taken: `request` is to name one, as `example` does.
/// Any other error than unavailable stays as it is.
Error no_architecture(std::string_view request, std::string_view example, Error why);

}  // namespace kmux
