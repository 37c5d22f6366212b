#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/resolver.h"

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
/// Errors: invalid_argument for a name that is no backend, or one that is given twice.
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

}  // namespace kmux::bench
