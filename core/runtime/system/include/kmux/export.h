#pragma once

/// Exports a symbol of libkmux.so to applications.
#define KMUX_API __attribute__((visibility("default")))
