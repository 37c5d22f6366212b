#include "nvidia/library/adapter.h"

#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/meta_reader.h"

#include "nvidia/device.h"

namespace kmux::nvidia {

Result<std::unique_ptr<LauncherLibrary>> LauncherLibrary::open(const std::string& bytes, Log log, Ranges ranges,
                                                               bool blocking) {
  KMUX_ASSIGN(MemoryLibrary file, MemoryLibrary::open(bytes, "launcher"));
  std::unique_ptr<LauncherLibrary> library(new LauncherLibrary(std::move(file)));
  KMUX_TRY(library->find("kmux_launcher_prepare", library->prepare_));
  KMUX_TRY(library->find("kmux_launcher_variable", library->find_variable_));
  KMUX_TRY(library->find("kmux_launcher_call", library->launch_));
  KMUX_TRY(library->find("kmux_launcher_open", library->open_));
  KMUX_TRY(library->find("kmux_launcher_close", library->close_));
  library->launcher_ = library->open_(log, ranges == Ranges::kShown, &own_persisting_lines(), blocking);
  return library;
}

LauncherLibrary::~LauncherLibrary() {
  if (close_) close_();  // `open` looks it up last: null if `open` failed
}

template <class Function>
Status LauncherLibrary::find(const char* name, Function*& function) const {
  function = reinterpret_cast<Function*>(library_.symbol(name));
  if (function) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "the library does not export \"" + std::string(name) +
                                                     "\" (it is not a launcher). Build it again.");
}

Result<std::unique_ptr<Adapter>> LibraryAdapter::load(const Artifact& artifact, const Host& host,
                                                      const std::string& backend) {
  KMUX_ASSIGN(const std::string* const library, required_part(artifact, kLibraryPart, backend));
  using Ranges = LauncherLibrary::Ranges;
  const Ranges ranges = shows_ranges(host) ? Ranges::kShown : Ranges::kHidden;
  auto adapter = std::make_unique<LibraryAdapter>(host);
  KMUX_ASSIGN(adapter->constants_, constants_of(artifact, backend));
  KMUX_ASSIGN(adapter->library_,
              LauncherLibrary::open(*library, log_to(adapter->host_), ranges, blocks_launches(host)));
  return std::unique_ptr<Adapter>(std::move(adapter));
}

Result<ConstantPlace> LibraryAdapter::constant(int device, std::string_view name) {
  KMUX_ASSIGN(const ConstantSymbol* const constant, symbol_of(constants_, name));
  ConstantPlace place;
  FailureText failure;
  KMUX_TRY(failure.status(library_->find_variable(device, constant->symbol, place, failure.sink())));
  return place;
}

Status LibraryAdapter::prepare(int device) {
  FailureText failure;
  return failure.status(library_->prepare(device, failure.sink()));
}

}  // namespace kmux::nvidia
