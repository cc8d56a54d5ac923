// with/closing.hpp - an identifier of HDF5 that is given back at the end of a scope.
#pragma once

#include <hdf5.h>

namespace weft::with {

class Closing {
 public:
  using Close = herr_t (*)(hid_t);
  Closing(hid_t id, Close close) : id_(id), close_(close) {}
  ~Closing() {
    if (id_ >= 0) close_(id_);
  }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

}  // namespace weft::with
