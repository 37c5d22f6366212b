#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/bench/call_timer.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/plugin/backend.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// A backend as named by the user of a benchmark: "cpu", "cpu#1", "cpu:engine=host;tier=fast".
struct BackendSpec {
  std::string text;  // as given
  std::string name;
  std::optional<std::size_t> variant;  // the only one to compile
  Options options;
};

/// Errors: invalid_argument that shows the expected form.
Result<BackendSpec> read_backend(const std::string& text);

/// Returns one entrant for each of `wanted`, or for each backend if empty: the best candidate of each, or that of the
/// named variant. Entrants that cannot run have the reason.
///
/// Errors: invalid_argument for a name that is not a backend, one that is given twice, and a variant that the program
///         does not have.
Result<std::vector<Entrant>> entrants_of(const Resolution& resolution, const std::vector<std::string>& wanted);

/// Sets the samples of an entrant's column, with their interval; no samples add no column.
void set_column(Entrant& entrant, Column column, std::vector<double> samples);

/// Returns the entrant of that backend, or null.
const Entrant* find_entrant(const Contest& contest, std::string_view backend);

/// Returns true if that backend is timed.
bool takes_part(const Contest& contest, std::string_view backend);

/// Checks that the backend named as `role` takes part.
///
/// Errors: unavailable with the names of those that do.
Status check_role(const Contest& contest, const std::string& role, const std::string& backend);

/// The arguments of a contest, one set a device. Equal tensors at different addresses can differ by more than a verdict
/// tolerates, so all contestants of a device share them.
///
/// Lifetime: borrows its sources; owns the results of `on`.
class SharedArguments {
 public:
  SharedArguments(const Program& program, const Inputs& inputs, const Binding& binding, ConstantValues constants = {})
      : program_(program), inputs_(inputs), binding_(binding), constants_(std::move(constants)) {}

  /// Returns the arguments on `device`, created on first use.
  ///
  /// Errors: as for `CallArguments::make`.
  Result<CallArguments*> on(const Device& device);
  /// Returns the values behind the arguments.
  const Binding& binding() const { return binding_; }

 private:
  struct Set {
    Device device;
    std::unique_ptr<CallArguments> arguments;
  };
  const Program& program_;
  const Inputs& inputs_;
  const Binding& binding_;
  ConstantValues constants_;
  std::vector<Set> sets_;
};

/// The working state of a backend in a contest, besides its reported results.
struct Contestant {
  std::size_t entrant = 0;  // index in the report
  std::optional<Kernel> kernel = {};
  CallArguments* arguments = nullptr;  // shared by all on its device
  std::vector<Tensor> results = {};  // of one call, on the host
  std::optional<CallTimer> timer = {};
  std::shared_ptr<const Program> own = {};  // the single variant chosen by a policy; null: the whole program
};

/// Returns the options that compile for `entrant` only.
///
/// Precondition: its backend must be valid for `read_backend`.
CompileOptions options_for(const Entrant& entrant, const CompileOptions& options);

/// The owner of the choice of a program's variant.
enum class VariantChoice {
  kBackend,  // the first supported one, as for a named backend
  kEntrant,  // the policy, as in the entrants
};

/// Compiles for every entrant that can and calls each once, on the initial contents of its device's arguments, so that
/// none reads the results of another. A failing one is omitted, and its entrant has the reason.
std::vector<Contestant> prepare_all(Runtime& runtime, const Program& program, const BenchOptions& options,
                                    VariantChoice choice, SharedArguments& memory, Contest& contest);

/// Removes contestants whose results differ from the contest's reference, which must be among them; their entrants
/// describe the difference.
///
/// Errors: those of comparing.
Status drop_wrong(const Program& program, const BenchOptions& options, Contest& contest,
                  std::vector<Contestant>& contestants);

/// Returns true if a second call on the same memory gives the same contents. False for in-place and accumulating
/// programs.
///
/// Errors: those of the call and of comparing.
Result<bool> is_repeatable(const Program& program, const BenchOptions& options, const Contestant& contestant);

/// Returns the index of a backend's contestant, or their number if none.
std::size_t index_of(const Contest& contest, const std::vector<Contestant>& contestants, std::string_view backend);

}  // namespace kmux::bench
