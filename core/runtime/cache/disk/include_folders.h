#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dependency_state.h"

namespace kmux {

/// The folders of option "include_dirs" of a request: absolute, in their order, without "." and "..".
using IncludeFolders = std::vector<std::string>;

/// Normalizes the folders of a request, a line each; empty if code that was built elsewhere must not be used for them.
///
/// That is so for a folder that is missing, has ".." in its name, or is one of the system's, which compilers search in another
/// order than that of the options.
IncludeFolders shareable_folders(const std::string& lines);

/// What keys have of `folders`: how many there are, and how they lie within each other.
std::string positions_of(const IncludeFolders& folders);

/// `state` with each path below a folder as "INDEX/rest". Nothing if a path lies neither there nor among the system's, has "..",
/// or if a file is listed by two paths: compilers read such a file once only.
std::optional<DependencyState> relative_to(const IncludeFolders& folders, DependencyState state);

/// `state`, which `relative_to` made, with the paths that the files have below `folders`. Nothing if `folders` lacks an index.
std::optional<DependencyState> resolved_in(const IncludeFolders& folders, DependencyState state);

/// Returns true if each path of `state` names another file.
bool are_distinct(const DependencyState& state);

}  // namespace kmux
