// A library that exports nothing.
namespace kmux::broken {
[[maybe_unused]] static int unused() { return 0; }
}  // namespace kmux::broken
