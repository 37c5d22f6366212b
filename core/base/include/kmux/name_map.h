#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kmux {

/// Values by name, sorted by name: the part of std::flat_map (C++23) that options, attributes and example values need.
/// Stored in one vector; including this header costs a source a sixth of what `<map>` does.
///
/// Threads: as a vector.   Lifetime: adding and erasing invalidate iterators and references.
template <class T>
class NameMap {
 public:
  /// An element: its name and its value.
  using value_type = std::pair<std::string, T>;
  /// A read-only iterator; values are changed with `operator[]`.
  using const_iterator = typename std::vector<value_type>::const_iterator;
  /// The same, since names are immutable.
  using iterator = const_iterator;

  /// An empty map.
  NameMap() = default;
  /// Holds these elements; the first wins where names repeat.
  NameMap(std::initializer_list<value_type> elements) : NameMap(elements.begin(), elements.end()) {}
  /// The same for a range of pairs, such as that of a std::map.
  template <class Iterator>
  NameMap(Iterator first, Iterator last) {
    for (; first != last; ++first) emplace(first->first, first->second);
  }

  /// Returns the element of the smallest name.
  const_iterator begin() const { return elements_.begin(); }
  /// Returns the position past the element of the largest name.
  const_iterator end() const { return elements_.end(); }
  /// Returns the number of elements.
  std::size_t size() const { return elements_.size(); }
  /// Returns true if the map has no elements.
  bool empty() const { return elements_.empty(); }

  /// Returns the element of this name, or `end()`.
  const_iterator find(std::string_view name) const {
    const const_iterator place = begin() + lower_bound(name);
    return place != end() && place->first == name ? place : end();
  }
  /// Returns true if the map has an element of this name.
  bool contains(std::string_view name) const { return find(name) != end(); }
  /// Returns the value of this name.
  ///
  /// Errors: throws std::out_of_range if the name is missing.
  const T& at(std::string_view name) const {
    const const_iterator found = find(name);
    if (found == end()) throw std::out_of_range("no value of name \"" + std::string(name) + "\"");
    return found->second;
  }

  /// Adds an element unless its name exists. Returns the element of that name, and whether it was added.
  std::pair<const_iterator, bool> try_emplace(std::string name, T value = {}) {
    const std::ptrdiff_t place = lower_bound(name);
    if (begin() + place != end() && elements_[place].first == name) return {begin() + place, false};
    return {elements_.emplace(begin() + place, std::move(name), std::move(value)), true};
  }
  /// As `try_emplace`.
  std::pair<const_iterator, bool> emplace(std::string name, T value) {
    return try_emplace(std::move(name), std::move(value));
  }
  /// Returns the value of this name, default-constructed if missing.
  T& operator[](std::string name) {
    const const_iterator place = try_emplace(std::move(name)).first;
    return elements_[place - begin()].second;
  }
  /// Sets the value of this name.
  void insert_or_assign(std::string name, T value) { (*this)[std::move(name)] = std::move(value); }
  /// Removes the element of this name. Returns the number of removed elements: 1 or 0.
  std::size_t erase(std::string_view name) {
    const const_iterator found = find(name);
    if (found == end()) return 0;
    elements_.erase(found);
    return 1;
  }
  /// Removes this element. Returns the next one.
  const_iterator erase(const_iterator element) { return elements_.erase(element); }
  /// Removes all elements.
  void clear() { elements_.clear(); }

  /// Removes every element for which `unwanted` returns true. Returns the number of removed elements.
  template <class Unwanted>
  friend std::size_t erase_if(NameMap& map, Unwanted unwanted) {
    return std::erase_if(map.elements_, unwanted);
  }

  /// Returns true if names and values are equal.
  bool operator==(const NameMap&) const = default;
  /// Orders by the first name or value that differs.
  auto operator<=>(const NameMap&) const = default;

 private:
  /// Returns the index of the first name that is not less than `name`.
  std::ptrdiff_t lower_bound(std::string_view name) const {
    std::ptrdiff_t first = 0;
    for (auto last = static_cast<std::ptrdiff_t>(size()); first < last;) {
      const std::ptrdiff_t middle = first + (last - first) / 2;
      (elements_[middle].first < name ? first = middle + 1 : last = middle);
    }
    return first;
  }

  std::vector<value_type> elements_;
};

}  // namespace kmux
