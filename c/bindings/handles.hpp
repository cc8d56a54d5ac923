// bindings/handles.hpp - the handles that C holds: told apart from those that have been closed or freed.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_set>

#include "bindings/status.hpp"

namespace weft::c {

// All handles of one kind. A place in memory may be taken by a later handle: then an old one is taken for that.
template <typename T>
class Handles {
 public:
  static T* add(std::unique_ptr<T> made) {
    const std::scoped_lock lock(mutex());
    open().insert(made.get());
    return made.release();
  }
  // Throws Error(usage) for NULL, and for what has been closed.
  static T& at(T* handle, std::string_view what) {
    given(handle, what);
    const std::scoped_lock lock(mutex());
    if (!open().contains(handle)) throw closed(what);
    return *handle;
  }
  static const T& at(const T* handle, std::string_view what) { return at(const_cast<T*>(handle), what); }
  // From here on it is the caller's alone.
  static std::unique_ptr<T> take(T* handle, std::string_view what) {
    given(handle, what);
    const std::scoped_lock lock(mutex());
    if (open().erase(handle) == 0) throw closed(what);
    return std::unique_ptr<T>(handle);
  }

 private:
  static Error closed(std::string_view what) {
    return {ErrorKind::usage, what, "has been closed or freed, or is none", "make it anew"};
  }
  // Both stay until the process has ended: a program may close its series as late as in its last destructor.
  static std::mutex& mutex() {
    static auto& one = *new std::mutex;
    return one;
  }
  static std::unordered_set<const T*>& open() {
    static auto& all = *new std::unordered_set<const T*>;
    return all;
  }
};

}  // namespace weft::c
