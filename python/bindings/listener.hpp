// bindings/listener.hpp - a long call, of which Python is told how far it is, and which Python can end.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::bindings {

// Tells Python how far a call is, and ends it where Python raises: Ctrl-C, or the callable itself.
class Listener {
 public:
  explicit Listener(nanobind::object progress) : progress_(std::move(progress)) {}

  std::function<void(std::uint64_t, std::uint64_t)> progress() {
    return [this](std::uint64_t done, std::uint64_t of) {
      if (!tell(done, of)) throw stopped_error();
    };
  }
  std::function<bool()> stopped() {
    return [this] { return raised_ != nullptr || !check_signals(); };
  }

  // Makes the call without the GIL. What Python raised meanwhile is raised, not what the call made of it.
  template <typename Call>
  auto run(const Call& call) {
    try {
      const nanobind::gil_scoped_release released;
      return call();
    } catch (const std::exception&) {
      if (raised_) std::rethrow_exception(raised_);
      throw;
    }
  }

 private:
  static Error stopped_error() { return Error(ErrorKind::system, "", "was interrupted"); }

  bool tell(std::uint64_t done, std::uint64_t of) {
    return in_python([&] {
      if (!progress_.is_none()) progress_(done, of);
    });
  }

  bool check_signals() {
    return in_python([] {});
  }

  template <typename Action>
  bool in_python(const Action& action) {
    const nanobind::gil_scoped_acquire gil;
    if (raised_) return false;
    try {
      action();
      if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
      return true;
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
  }

  nanobind::object progress_;
  std::exception_ptr raised_;
};

}  // namespace weft::bindings
