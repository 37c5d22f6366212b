#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "kmux/plugin/plugin.hpp"

namespace kmux {

/// The host of a backend under test: returns the options that were set and keeps log lines.
class FakeHost {
 public:
  FakeHost() {
    api_.struct_size = sizeof api_;
    api_.self = this;
    api_.option = [](void* self, kmux_bytes name, kmux_sink value) -> int32_t {
      const auto& known = static_cast<FakeHost*>(self)->options;
      const auto found = known.find(std::string(name.data, name.size));
      if (found == known.end()) return 0;
      value.write(value.self, found->second.data(), found->second.size());
      return 1;
    };
    api_.log = [](void* self, int32_t level, kmux_bytes text) {
      auto& host = *static_cast<FakeHost*>(self);
      host.log.append(text.data, text.size);
      host.highest_level = std::max(host.highest_level, level);
    };
    api_.trace = [](void*, int32_t, kmux_bytes) {};
    api_.stopping = [](void* self) -> int32_t { return static_cast<FakeHost*>(self)->is_stopping ? 1 : 0; };
  }
  operator Host() const { return Host(&api_); }

  std::map<std::string, std::string> options;
  std::string log;
  std::int32_t highest_level = 0;  // of the log lines
  bool is_stopping = false;

 private:
  kmux_host_api api_{};
};

/// Returns the artifact that `backend` builds from the first variant of `program`, as the runtime builds it.
inline Result<Artifact> wrap_and_build(Backend& backend, const Program& program, Options options,
                                       const std::string& target) {
  KMUX_ASSIGN(const Target resolved, backend.resolve_target(target, std::nullopt));
  const BuildRequest request{program, 0, resolved, std::move(options)};
  KMUX_ASSIGN(const std::string launcher, backend.wrapper().wrap(request));
  return backend.builder().build(request, launcher);
}

}  // namespace kmux
