#include "adapter.h"

#include <string>

#include "builder.h"

namespace kmux::cuda {
namespace {

nvidia::Log log_to(Host* host) {
  return {host, [](void* self, int level, const char* text, std::size_t size) {
            static_cast<Host*>(self)->log(static_cast<Host::Level>(level), std::string_view(text, size));
          }};
}

LauncherLibrary::Ranges ranges_for(const Host& host) {
  const std::string value = host.option("nvidia.nvtx").value_or("0");
  const bool is_off = value.empty() || value == "0" || value == "off" || value == "false" || value == "no";
  return is_off ? LauncherLibrary::Ranges::kHidden : LauncherLibrary::Ranges::kShown;
}

}  // namespace

Result<std::unique_ptr<Adapter>> CudaAdapter::load(const Artifact& artifact, const Host& host) {
  const std::string* library = artifact.find(kLibraryPart);
  if (!library) {
    return make_error(ErrorCode::kInvalidArgument, "the artifact has no part \"" + std::string(kLibraryPart) +
                                                       "\" (backend cuda did not make it whole). Build it again.");
  }
  auto adapter = std::make_unique<CudaAdapter>(host);
  KMUX_ASSIGN(adapter->library_, LauncherLibrary::open(*library, log_to(&adapter->host_), ranges_for(host)));
  return std::unique_ptr<Adapter>(std::move(adapter));
}

Status CudaAdapter::prepare(int device) {
  std::string text;
  const kmux_sink error = {&text, [](void* self, const char* data, std::size_t size) {
                             static_cast<std::string*>(self)->append(data, size);
                           }};
  const int code = library_->prepare(device, error);
  if (code == KMUX_OK) return Ok{};
  return read_error(code, text);
}

}  // namespace kmux::cuda
