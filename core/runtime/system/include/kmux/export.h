#pragma once

/// Marks what libkmux.so offers to applications.
#define KMUX_API __attribute__((visibility("default")))
