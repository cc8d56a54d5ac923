// bindings/errors.cpp - weft::Error as Python's exceptions, with the same line.
//
//   usage   ValueError
//   data    weft.DataError
//   system  FileNotFoundError, PermissionError, IsADirectoryError, or OSError, by what the system said
#include <cerrno>

#include "bindings/bindings.hpp"
#include "weft/support/error.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

// The interpreter holds the class as long as it lives.
PyObject* data_error = nullptr;

PyObject* system_type(int errno_value) {
  switch (errno_value) {
    case ENOENT: return PyExc_FileNotFoundError;
    case EACCES:
    case EPERM: return PyExc_PermissionError;
    case EISDIR: return PyExc_IsADirectoryError;
    default: return PyExc_OSError;
  }
}

PyObject* python_type(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage: return PyExc_ValueError;
    case ErrorKind::data: return data_error;
    case ErrorKind::system: return system_type(error.errno_value());
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
      PyObject* const type = python_type(error);
      const nb::object raised = nb::handle(type)(error.what());
      if (error.is_agreed()) raised.attr("agreed") = true;  // all ranks raise it
      PyErr_SetObject(type, raised.ptr());
    }
  });
}

}  // namespace weft::bindings
