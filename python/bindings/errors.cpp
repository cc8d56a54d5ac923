// bindings/errors.cpp - weft::Error as Python's exceptions, with the same line.
//
//   usage   ValueError
//   data    weft.DataError
//   system  OSError
#include "bindings/bindings.hpp"
#include "weft/support/error.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

// The interpreter holds the class as long as it lives.
PyObject* data_error = nullptr;

PyObject* python_type(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return PyExc_ValueError;
    case ErrorKind::data: return data_error;
    case ErrorKind::system: return PyExc_OSError;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void bind_errors(nb::module_& module) {
  data_error = PyErr_NewExceptionWithDoc("weft.DataError", "A file that is not what it should be.", nullptr, nullptr);
  module.attr("DataError") = nb::borrow(data_error);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(python_type(error.kind()), error.what());
    }
  });
}

}  // namespace weft::bindings
