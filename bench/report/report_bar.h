#pragma once

namespace kmux::bench {

/// The size of the page that `kmux bench --html` writes for the example programs on both engines of backend cpu, at four
/// points of an axis, or of the largest report in docs/reports if that is larger.
///
/// Units: KiB.
double report_kib();

}  // namespace kmux::bench
