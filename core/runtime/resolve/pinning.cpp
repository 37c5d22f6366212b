#include "pinning.h"

#include <algorithm>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/words.h"
#include "kmux/tune.h"

#include "measurement.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownDigits = 12;

/// Every error of this page.
class Refusals {
 public:
  Refusals(const std::string& name, const std::string& digest, const fs::path& file)
      : program_("program '" + name + "' (" + digest.substr(0, kShownDigits) + ")"), file_(file.string()) {}

  Error not_there() const { return make(ErrorCode::kInvalidArgument, "is not in lock file '" + file_ + "'"); }
  Error other_target(const std::vector<std::string>& targets) const {
    return make(ErrorCode::kInvalidArgument,
                "is pinned in '" + file_ + "' for " + join(targets) + " only, which is no target of this machine");
  }
  Error refused(const Candidate& candidate) const {
    return make(ErrorCode::kUnavailable, "is pinned in '" + file_ + "' to backend '" + candidate.backend +
                                             "', which cannot take it (" + candidate.reason + ")");
  }
  Error changed(const Pin& pin, const std::string& build_id) const {
    return make(ErrorCode::kUnavailable, "is pinned in '" + file_ + "' to build " + pin.build_id + " of plugin '" +
                                             pin.backend + "', and this one is " + build_id);
  }

 private:
  Error make(ErrorCode code, const std::string& problem) const {
    return make_error(code, program_ + " " + problem +
                                " (policy pinned). Run `kmux tune PROGRAM --lock FILE` with the "
                                "plugins and the machine that it will run on.");
  }
  std::string program_;
  std::string file_;
};

bool is_for(const Pin& pin, const Candidate& candidate) {
  return pin.backend == candidate.backend && pin.variant == candidate.variant;
}

}  // namespace

Result<std::size_t> pinned_candidate(const std::vector<Pin>& pins, const fs::path& file, const std::string& name,
                                     const std::string& digest, const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests) {
  const Refusals refusals(name, digest, file);
  std::vector<std::string> targets;
  const Candidate* refused = nullptr;
  for (const Pin& pin : pins) {
    if (pin.program != digest) continue;
    targets.push_back(pin.target);
    const auto found = std::ranges::find_if(candidates, [&](const Candidate& one) { return is_for(pin, one); });
    if (found == candidates.end()) continue;
    if (found->verdict == Verdict::kRefused) refused = &*found;
    if (found->verdict == Verdict::kRefused || found->target != pin.target) continue;
    const std::string& build_id = manifest_of(manifests, pin.backend)->build_id;
    if (build_id != pin.build_id) return refusals.changed(pin, build_id);
    return static_cast<std::size_t>(found - candidates.begin());
  }
  if (targets.empty()) return refusals.not_there();
  return refused != nullptr ? refusals.refused(*refused) : refusals.other_target(targets);
}

Status pin(const fs::path& file, const Program& program, const Tuning& tuning) {
  std::vector<Pin> pins;
  if (fs::exists(fs::symlink_status(file))) {
    KMUX_ASSIGN(pins, read_lock_file(file));
  }
  const TunedCandidate& best = tuning.best();
  Pin made{digest(program), program.name, best.target, best.backend, best.build_id, best.variant};
  std::erase_if(pins, [&](const Pin& one) { return one.program == made.program && one.target == made.target; });
  pins.push_back(std::move(made));
  return write_lock_file(file, std::move(pins));
}

}  // namespace kmux
