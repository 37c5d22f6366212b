#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kmux {

/// Values by name, in the order of their names: the part of std::flat_map (C++23) that the few options, attributes and
/// examples of a program want. It is one piece of memory, and costs an including source a sixth of what `<map>` does.
///
/// Threads: as a vector.   Lifetime: adding and erasing invalidate iterators and references.
template <class T>
class NameMap {
 public:
  /// An element: its name and its value.
  using value_type = std::pair<std::string, T>;
  /// What elements are read through; values are changed with `operator[]`.
  using const_iterator = typename std::vector<value_type>::const_iterator;
  /// The same: a name does not change.
  using iterator = const_iterator;

  /// An empty map.
  NameMap() = default;
  /// These elements; of those with one name the first.
  NameMap(std::initializer_list<value_type> elements) : NameMap(elements.begin(), elements.end()) {}
  /// The same of a range of pairs, such as that of a std::map.
  template <class Iterator>
  NameMap(Iterator first, Iterator last) {
    for (; first != last; ++first) emplace(first->first, first->second);
  }

  /// The element of the smallest name.
  const_iterator begin() const { return elements_.begin(); }
  /// Behind the element of the largest name.
  const_iterator end() const { return elements_.end(); }
  /// How many elements there are.
  std::size_t size() const { return elements_.size(); }
  /// Is there none?
  bool empty() const { return elements_.empty(); }

  /// The element of this name, or `end()`.
  const_iterator find(std::string_view name) const {
    const const_iterator place = begin() + lower_bound(name);
    return place != end() && place->first == name ? place : end();
  }
  /// Is there an element of this name?
  bool contains(std::string_view name) const { return find(name) != end(); }
  /// The value of this name.
  ///
  /// Errors: throws std::out_of_range if there is none.
  const T& at(std::string_view name) const {
    const const_iterator found = find(name);
    if (found == end()) throw std::out_of_range("no value of name \"" + std::string(name) + "\"");
    return found->second;
  }

  /// Adds an element unless there is one of its name. Returns the element of that name, and whether it was added.
  std::pair<const_iterator, bool> try_emplace(std::string name, T value = {}) {
    const std::ptrdiff_t place = lower_bound(name);
    if (begin() + place != end() && elements_[place].first == name) return {begin() + place, false};
    return {elements_.emplace(begin() + place, std::move(name), std::move(value)), true};
  }
  /// The same.
  std::pair<const_iterator, bool> emplace(std::string name, T value) {
    return try_emplace(std::move(name), std::move(value));
  }
  /// The value of this name, added if there is none.
  T& operator[](std::string name) {
    const const_iterator place = try_emplace(std::move(name)).first;
    return elements_[place - begin()].second;
  }
  /// Sets the value of this name.
  void insert_or_assign(std::string name, T value) { (*this)[std::move(name)] = std::move(value); }
  /// Removes the element of this name. Returns how many there were: 1 or 0.
  std::size_t erase(std::string_view name) {
    const const_iterator found = find(name);
    if (found == end()) return 0;
    elements_.erase(found);
    return 1;
  }
  /// Removes this element. Returns the one behind it.
  const_iterator erase(const_iterator element) { return elements_.erase(element); }
  /// Removes all.
  void clear() { elements_.clear(); }

  /// Removes every element of which `unwanted` is true. Returns how many.
  template <class Unwanted>
  friend std::size_t erase_if(NameMap& map, Unwanted unwanted) {
    return std::erase_if(map.elements_, unwanted);
  }

  /// Are names and values the same?
  bool operator==(const NameMap&) const = default;
  /// By the first name or value that differs.
  auto operator<=>(const NameMap&) const = default;

 private:
  /// Where the first name lies that is not less than `name`.
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
