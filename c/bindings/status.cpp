#include "bindings/status.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "weft/version.hpp"

namespace weft::c {

namespace {

struct LastError {
  std::string line;
  bool agreed = false;
};
thread_local LastError last;

weft_status keep(weft_status status, const char* line, bool agreed) noexcept {
  last.agreed = agreed;
  try {
    last.line = line;
  } catch (const std::bad_alloc&) {
    last.line.clear();  // no memory for the line either
  }
  return status;
}

weft_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return WEFT_USAGE;
    case ErrorKind::data: return WEFT_DATA;
    case ErrorKind::system: return WEFT_SYSTEM;
  }
  return WEFT_BUG;
}

}  // namespace

weft_status keep_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(status_of(error.kind()), error.what(), error.is_agreed());
  } catch (const std::bad_alloc&) {
    return keep(WEFT_SYSTEM, "no memory", false);
  } catch (const std::length_error&) {
    return keep(WEFT_USAGE, "a count: is larger than memory can be; give the lengths of the arrays", false);
  } catch (const std::exception& error) {
    return keep(WEFT_BUG, error.what(), false);
  } catch (...) {
    return keep(WEFT_BUG, "an error without a word", false);
  }
}

}  // namespace weft::c

const char* weft_last_error() { return weft::c::last.line.c_str(); }
int weft_last_error_is_agreed() { return weft::c::last.agreed ? 1 : 0; }
const char* weft_version() { return weft::kVersion; }
