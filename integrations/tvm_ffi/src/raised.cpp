#include "raised.h"

namespace kmux::bridge {
namespace {

constexpr std::string_view kTypeError = "TypeError";
constexpr std::string_view kValueError = "ValueError";

}  // namespace

std::string error_kind(ErrorCode code) {
  if (code == ErrorCode::kInvalidArgument) return std::string(kValueError);
  return "kmux." + std::string(to_string(code));
}

ffi::Error raised(const Error& error, std::string_view kind) {
  std::string text = error.explain();
  text.erase(0, to_string(error.code).size() + 2);  // the kind says it
  while (text.ends_with('\n')) text.pop_back();
  return {std::string(kind), std::move(text), ""};
}

ffi::Error wrong_type(std::string message) { return {std::string(kTypeError), std::move(message), ""}; }

}  // namespace kmux::bridge
