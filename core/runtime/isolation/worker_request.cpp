#include "worker_request.h"

namespace kmux {
namespace {

constexpr std::size_t kFields = 4;

std::string copy(kmux_bytes bytes) { return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size); }

kmux_bytes view(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace

void append_request(Frame& frame, const kmux_build_request& request) {
  std::vector<std::string>& parts = frame.parts;
  parts.reserve(parts.size() + kFields + request.program.blob_count);
  parts.push_back(copy(request.program.json));
  parts.push_back(std::to_string(request.variant));
  parts.push_back(copy(request.target));
  parts.push_back(copy(request.options));
  for (std::size_t i = 0; i < request.program.blob_count; ++i) parts.push_back(copy(request.program.blobs[i]));
}

Result<RequestParts> RequestParts::read(const Frame& frame, std::size_t first) {
  const std::vector<std::string>& parts = frame.parts;
  if (parts.size() < first + kFields) {
    return make_error(ErrorCode::kInternal,
                      "a frame is damaged (a build request of " + std::to_string(parts.size()) + " parts).");
  }
  KMUX_ASSIGN(const std::int64_t variant, read_number(parts[first + 1]));
  RequestParts request;
  request.json_ = view(parts[first]);
  request.variant_ = static_cast<std::size_t>(variant);
  request.target_ = view(parts[first + 2]);
  request.options_ = view(parts[first + 3]);
  for (std::size_t i = first + kFields; i < parts.size(); ++i) request.blobs_.push_back(view(parts[i]));
  return request;
}

kmux_build_request RequestParts::get() const {
  return {sizeof(kmux_build_request),
          {sizeof(kmux_program_view), json_, blobs_.data(), blobs_.size()},
          variant_,
          target_,
          options_};
}

}  // namespace kmux
