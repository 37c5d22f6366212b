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

/// A backend as a user names it for a benchmark: "cpu", "cpu:engine=host;tier=fast".
struct BackendSpec {
  std::string text;  // as it was given
  std::string name;
  Options options;
};

/// Errors: invalid_argument that shows the form.
Result<BackendSpec> read_backend(const std::string& text);

/// One entrant for each of `wanted`, or for each backend if that is empty: the best candidate of each; those that cannot say
/// why.
///
/// Errors: invalid_argument for a name that is not a backend, or one that is given twice.
Result<std::vector<Entrant>> entrants_of(const Resolution& resolution, const std::vector<std::string>& wanted);

/// Gives an entrant the samples of a column, with their interval; of none it gets no column.
void set_column(Entrant& entrant, Column column, std::vector<double> samples);

/// The entrant of that backend, or null.
const Entrant* find_entrant(const Contest& contest, std::string_view backend);

/// Is that backend timed?
bool takes_part(const Contest& contest, std::string_view backend);

/// Does the backend that was named as `role` take part?
///
/// Errors: unavailable with the names of those that do.
Status check_role(const Contest& contest, const std::string& role, const std::string& backend);

/// The arguments of a contest, one set a device: equal tensors at other addresses differ by more than a verdict forgives, so
/// all contestants of a device are called with the same.
///
/// Lifetime: borrows what it is made from; what it hands out lives as long as it does.
class SharedArguments {
 public:
  SharedArguments(const Program& program, const Inputs& inputs, const Binding& binding, ConstantValues constants = {})
      : program_(program), inputs_(inputs), binding_(binding), constants_(std::move(constants)) {}

  /// The arguments on `device`, made when they are first asked for.
  ///
  /// Errors: as `CallArguments::make`.
  Result<CallArguments*> on(const Device& device);
  /// The values that they are of.
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

/// A backend at work: what a contest needs besides what it reports.
struct Contestant {
  std::size_t entrant = 0;  // in the report
  std::optional<Kernel> kernel = {};
  CallArguments* arguments = nullptr;  // shared by all on its device
  std::vector<Tensor> results = {};  // of one call, on the host
  std::optional<CallTimer> timer = {};
  std::shared_ptr<const Program> own = {};  // the variant alone that a policy chose; null: the whole program
};

/// The options that compile for `entrant` and no other.
///
/// Precondition: its backend can be read.
CompileOptions options_for(const Entrant& entrant, const CompileOptions& options);

/// Who decides which variant of a program a backend compiles.
enum class VariantChoice {
  kBackend,  // the first that it can, as when the backend is named
  kEntrant,  // the policy, as the entrants have it
};

/// Compiles for every entrant that can and calls once, each with the first contents of its device's arguments, so that none
/// lives on the results of another. One that fails is left out, and its entrant says why.
std::vector<Contestant> prepare_all(Runtime& runtime, const Program& program, const BenchOptions& options,
                                    VariantChoice choice, SharedArguments& memory, Contest& contest);

/// Leaves out those whose results are not those of the contest's reference, which is among them; their entrants say how they
/// differ.
///
/// Errors: those of comparing.
Status drop_wrong(const Program& program, const BenchOptions& options, Contest& contest,
                  std::vector<Contestant>& contestants);

/// Does a second call in the same memory leave what the first one left? Not if it is in place, or adds to what is there.
///
/// Errors: those of the call and of comparing.
Result<bool> is_repeatable(const Program& program, const BenchOptions& options, const Contestant& contestant);

/// The index of a backend's contestant, or their number.
std::size_t index_of(const Contest& contest, const std::vector<Contestant>& contestants, std::string_view backend);

}  // namespace kmux::bench
