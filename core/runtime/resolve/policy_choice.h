// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmux/manifest.h"
#include "kmux/resolver.h"

#include "ranking.h"
#include "resolve_services.h"

namespace kmux {

/// Applies the policy to the candidates of `resolution` and fills in their known times and quarantines. The candidate
/// of the highest priority must be chosen so far.
void choose_by_policy(const ResolveServices& services, const Inquiry& inquiry,
                      const std::vector<const Manifest*>& manifests, Resolution& resolution);

}  // namespace kmux
