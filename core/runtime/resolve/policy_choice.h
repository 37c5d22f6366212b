#pragma once

#include <vector>

#include "kmux/manifest.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

#include "inquiry.h"

namespace kmux {

/// Lets the policy choose among the candidates of `resolution`, where the one of the highest priority is chosen so far,
/// and fills in what is known of them.
void choose_by_policy(Runtime& runtime, const Inquiry& inquiry, const std::vector<const Manifest*>& manifests,
                      Resolution& resolution);

}  // namespace kmux
