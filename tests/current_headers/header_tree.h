#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace kmux::fresh {

constexpr int kPrograms = 3;
/// What a program computes: one number for each of its two outputs.
using Values = std::array<std::int64_t, 2>;
using Random = std::mt19937_64;

/// A number from 0 to `count` - 1.
inline int any_of(Random& random, int count) { return static_cast<int>(random() % static_cast<std::uint64_t>(count)); }

/// The source of a program: what it includes, and which numbers of the headers it computes.
std::string source_of(int program);

/// Headers in two folders, of which the first hides the second, with a model of what programs that include them compute.
///
/// Every header defines its own name as a number that no other state of it has, but for what is put back.
class HeaderTree {
 public:
  explicit HeaderTree(std::filesystem::path root);

  /// In the order of the search.
  std::vector<std::string> include_dirs() const;
  /// Changes one file in one of the ways in which people, editors, build systems and packages do, and returns which.
  std::string edit(Random& random);
  /// What `program` computes with the headers as they are.
  Values values(int program) const;

 private:
  struct Header {
    std::int64_t number = 0;
    std::string includes = {};  // a name, or nothing
    bool operator==(const Header&) const = default;
  };
  std::string text_of(const std::string& name, const Header& header) const;
  Header next(const Header& old);
  std::string pick(Random& random) const;
  void write_over(const std::string& place, const std::string& text, bool keeps_time);
  void rename_over(const std::string& place, const std::string& text, bool keeps_time);
  std::string shadow(Random& random);
  const Header* find(const std::string& name) const;

  std::filesystem::path root_;
  std::int64_t last_ = 10'000'000;  // numbers have the same count of digits
  std::map<std::string, Header> headers_;  // by "folder/name"
  std::map<std::string, Header> older_;  // what some of them were before
};

}  // namespace kmux::fresh
