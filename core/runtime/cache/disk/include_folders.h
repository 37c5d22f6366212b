#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dependency_state.h"

namespace kmux {

/// The folders of option "include_dirs" of a request: absolute, in order, without "." and "..".
using IncludeFolders = std::vector<std::string>;

/// Normalizes the folders of a request, one per line. Returns an empty list if code built elsewhere must not be used
/// for them.
///
/// This applies to a folder that is missing, has ".." in its name, or is a system folder: compilers do not search those
/// in the order of the options.
IncludeFolders shareable_folders(const std::string& lines);

/// Returns the text of `folders` for keys: their number and their nesting.
std::string positions_of(const IncludeFolders& folders);

/// Returns `state` with each path below a folder as "INDEX/rest". Returns nothing if a path is in neither these nor
/// system folders or has "..", or if a file is listed by two paths: compilers read such a file only once.
std::optional<DependencyState> relative_to(const IncludeFolders& folders, DependencyState state);

/// Returns `state`, a result of `relative_to`, with its paths below `folders`. Returns nothing if `folders` lacks an
/// index.
std::optional<DependencyState> resolved_in(const IncludeFolders& folders, DependencyState state);

/// Returns true if each path of `state` names another file.
bool are_distinct(const DependencyState& state);

}  // namespace kmux
