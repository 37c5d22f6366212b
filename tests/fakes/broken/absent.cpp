extern "C" __attribute__((visibility("default"))) int kmux_absent() { return 1; }
