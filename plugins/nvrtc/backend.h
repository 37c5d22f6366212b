#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "nvidia/devices.h"
#include "wrapper.h"

namespace kmux::nvrtc {

/// CUDA C++ on NVIDIA's devices, compiled with NVRTC.
class NvrtcBackend final : public Backend {
 public:
  static const PluginInfo kInfo;
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit NvrtcBackend(Host host) : host_(host), wrapper_(host), builder_(host), devices_(host) {}

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Wrapper& wrapper() override { return wrapper_; }
  Builder& builder() override { return builder_; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  DeviceApi& devices() override { return devices_; }
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;

 private:
  Host host_;
  NvrtcWrapper wrapper_;
  NvrtcBuilder builder_;
  nvidia::Devices devices_;
};

}  // namespace kmux::nvrtc
