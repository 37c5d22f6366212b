#pragma once

namespace kmux::bench::strangers {

/// Counts the ways to name a kernel that fail: tests/strangers/names, compiled by each backend that can build here.
double kernel_name_forms_failed();

/// Counts the headers of C, C++ and CUDA with which a kernel does not compile through NVRTC.
double nvrtc_headers_failed();

/// Counts the device functions that a setting of arithmetic makes wrong on backend cpu.
double fast_math_wrong();

/// Counts the programs of tests/strangers/values and tests/strangers/sources that are wrong on backend cpu, in a tier or checked.
double shared_cases_failed();

}  // namespace kmux::bench::strangers
