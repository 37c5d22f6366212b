#include "adapter.h"

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/sink.h"

#include "device.h"
#include "meta.h"
#include "simt/frontend/installation.h"
#include "simt/runtime/arena.h"
#include "simt/runtime/launch.h"
#include "simt/runtime/pool.h"

namespace kmux::cpu {
namespace {

Status check_machine(const Meta& meta) {
  if (meta.triple != simt::host_triple()) {
    return make_error(ErrorCode::kUnavailable, "the artifact is for \"" + meta.triple + "\" (this machine is \"" +
                                                   simt::host_triple() + "\"). Build it here.");
  }
  std::string lacking;
  for (const std::string& feature : meta.features) {
    if (!simt::host_cpu().features.contains(feature)) lacking.append(lacking.empty() ? "" : ", ").append(feature);
  }
  if (lacking.empty()) return Ok{};
  return make_error(
      ErrorCode::kUnavailable,
      "the artifact is for processor \"" + meta.cpu + "\" (this machine, \"" + simt::host_cpu().name + "\", lacks " +
          lacking + "). Build it here, or for a lesser processor, as \"cpu:" + std::string(simt::modest_cpu()) + "\".");
}

Result<std::vector<std::string>> object_parts(const Artifact& artifact) {
  std::vector<std::string> objects;
  for (const Artifact::Part& part : artifact.parts) {
    if (part.name == kCodePart || part.name.starts_with(kObjectPart)) objects.push_back(part.content);
  }
  KMUX_TRY(required_part(artifact, kCodePart, "cpu"));
  return objects;
}

Result<std::unique_ptr<simt::LoadedCode>> load_code(const Artifact& artifact, const Meta& meta) {
  KMUX_ASSIGN(const auto objects, object_parts(artifact));
  if (meta.engine == "host") return simt::load_shared_object(*artifact.find(kCodePart), meta.entry);
  return simt::load_objects(objects, meta.entry);
}

}  // namespace

Status CpuAdapter::prepare(int device) {
  KMUX_TRY(check_device(device));
  if (!is_on_grid_) return Ok{};
  simt::pool().start();
  const simt::BlockMemory memory(1);
  return Ok{};
}

// The size was checked when the code was compiled: an object's symbol table may lack it.
Result<ConstantPlace> CpuAdapter::constant(int device, std::string_view name) {
  KMUX_TRY(prepare(device));
  KMUX_ASSIGN(const ConstantSymbol* const constant, symbol_of(constants_, name));
  if (void* const address = code_->find(constant->symbol)) return ConstantPlace{address, constant->bytes};
  return incomplete_artifact("variable " + in_double_quotes(constant->symbol), "cpu");
}

kmux_code CpuAdapter::launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept {
  try {
    return launch_(slots, &env, error);
  } catch (const simt::KernelFailure& failure) {
    write(error, failure.what());
    return KMUX_LAUNCH_FAILED;
  } catch (const std::exception& exception) {
    write(error, "the kernel threw \"");
    write(error, exception.what());
  } catch (...) {
    write(error, "the kernel threw \"something that is not a std::exception");
  }
  write(error, "\" (exceptions do not leave a kernel). Catch it, or return a number that says what is wrong.");
  return KMUX_LAUNCH_FAILED;
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact) {
  KMUX_ASSIGN(const std::string* const text, required_part(artifact, kMetaPart, "cpu"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*text));
  KMUX_TRY(check_machine(meta));
  KMUX_ASSIGN(std::vector<ConstantSymbol> constants, constants_of(artifact, "cpu"));
  KMUX_ASSIGN(auto code, load_code(artifact, meta));
  return std::unique_ptr<Adapter>(std::make_unique<CpuAdapter>(std::move(code), meta.on_grid, std::move(constants)));
}

}  // namespace kmux::cpu
