#include "header_tree.h"

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kmux::fresh {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kNames = {"a.h", "b.h", "c.h", "sub/d.h"};
constexpr const char* kFirst = "first/";
constexpr const char* kSecond = "second/";

/// "D" of "sub/d.h".
std::string macro_of(const std::string& name) { return {static_cast<char>(name[name.size() - 3] - 'a' + 'A')}; }

std::string name_of(const std::string& place) { return place.substr(place.find('/') + 1); }

void set_mtime(const fs::path& path, const struct stat& from) {
  const timespec times[] = {from.st_atim, from.st_mtim};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace

std::string source_of(int program) {
  const std::string head = "#include <" + std::string(program == 0 ? "a.h" : program == 1 ? "b.h" : "sub/d.h") + ">\n";
  const std::string first = program == 0 ? "A" : program == 1 ? "B" : "D";
  const std::string second = program == 1 ? "#ifdef C\n  y[1] = C;\n#else\n  y[1] = D;\n#endif\n" : "  y[1] = 0;\n";
  return head + "void compute(long long* y) {\n  y[0] = " + first + ";\n" + second + "}\n";
}

HeaderTree::HeaderTree(fs::path root) : root_(std::move(root)) {
  fs::create_directories(root_ / "first");
  fs::create_directories(root_ / "second/sub");
  for (const std::string name : kNames) {
    const Header header{++last_, name == "b.h" ? "c.h" : ""};
    headers_[kSecond + name] = header;
    std::ofstream(root_ / (kSecond + name)) << text_of(name, header);
  }
}

std::vector<std::string> HeaderTree::include_dirs() const {
  return {(root_ / "first").string(), (root_ / "second").string()};
}

std::string HeaderTree::text_of(const std::string& name, const Header& header) const {
  // As long with one name as with another one, so that only contents tell what is included.
  const std::string include = header.includes.empty() ? "" : "#include <" + header.includes + ">";
  const std::string padding(header.includes.empty() ? 0 : 8 - header.includes.size(), ' ');
  return include + padding + "\n#define " + macro_of(name) + " " + std::to_string(header.number) + "\n";
}

HeaderTree::Header HeaderTree::next(const Header& old) {
  Header header{++last_, old.includes};
  if (!header.includes.empty() && last_ % 3 == 0) header.includes = old.includes == "c.h" ? "sub/d.h" : "c.h";
  return header;
}

std::string HeaderTree::pick(Random& random) const {
  auto place = headers_.begin();
  std::advance(place, any_of(random, static_cast<int>(headers_.size())));
  return place->first;
}

void HeaderTree::write_over(const std::string& place, const std::string& text, bool keeps_time) {
  const fs::path path = root_ / place;
  struct stat before{};
  ::stat(path.c_str(), &before);
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool good = ::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  ::ftruncate(file, good ? static_cast<off_t>(text.size()) : 0);
  ::close(file);
  if (keeps_time) set_mtime(path, before);
}

void HeaderTree::rename_over(const std::string& place, const std::string& text, bool keeps_time) {
  const fs::path path = root_ / place;
  const fs::path fresh = root_ / "fresh";
  std::ofstream(fresh) << text;
  struct stat before{};
  if (keeps_time && ::stat(path.c_str(), &before) == 0) set_mtime(fresh, before);
  fs::rename(fresh, path);
}

/// Adds a header in the first folder that hides one of the second, or removes it again.
std::string HeaderTree::shadow(Random& random) {
  const std::string name = kNames[static_cast<std::size_t>(any_of(random, kNames.size()))];
  const std::string place = kFirst + name;
  if (headers_.erase(place) != 0) {
    fs::remove(root_ / place);
    if (name.starts_with("sub/") && any_of(random, 2) == 0) fs::remove(root_ / "first/sub");
    return "remove " + place;
  }
  const Header header = next(headers_.at(kSecond + name));
  fs::create_directories((root_ / place).parent_path());
  rename_over(place, text_of(name, header), false);
  headers_[place] = header;
  return "add " + place;
}

std::string HeaderTree::edit(Random& random) {
  const std::string place = pick(random);
  const std::string name = name_of(place);
  const Header old = headers_.at(place);
  const Header header = next(old);
  const int way = any_of(random, 9);
  if (way >= 7) return shadow(random);
  if (way == 6) {
    rename_over(place, text_of(name, old), false);
    return "touch " + place;
  }
  if (way == 5 && older_.contains(place)) {
    headers_[place] = older_.at(place);
    rename_over(place, text_of(name, headers_[place]), false);
    return "put back " + place;
  }
  headers_[place] = header;
  if (any_of(random, 3) == 0) older_[place] = old;
  const std::string text = text_of(name, header);
  if (way < 2) return write_over(place, text, way == 1), "write " + place;
  if (way < 4) return rename_over(place, text, way == 3), "replace " + place;
  return write_over(place, text + std::string(static_cast<std::size_t>(any_of(random, 9)), '\n'), false),
         "write more " + place;
}

const HeaderTree::Header* HeaderTree::find(const std::string& name) const {
  for (const char* folder : {kFirst, kSecond}) {
    if (const auto found = headers_.find(folder + name); found != headers_.end()) return &found->second;
  }
  return nullptr;
}

Values HeaderTree::values(int program) const {
  if (program == 0) return {find("a.h")->number, 0};
  if (program == 2) return {find("sub/d.h")->number, 0};
  const Header* const b = find("b.h");
  return {b->number, find(b->includes)->number};
}

}  // namespace kmux::fresh
