#include "weft/storage/hdf5_handle.hpp"

#include <string>

#include "weft/storage/fresh_driver.hpp"

namespace weft::storage {

herr_t Handle::reset() {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  if (id < 0) return 0;
  switch (H5Iget_type(id)) {
    case H5I_FILE: return H5Fclose(id);
    case H5I_GROUP: return H5Gclose(id);
    case H5I_DATATYPE: return H5Tclose(id);
    case H5I_DATASPACE: return H5Sclose(id);
    case H5I_DATASET: return H5Dclose(id);
    case H5I_ATTR: return H5Aclose(id);
    case H5I_GENPROP_LST: return H5Pclose(id);
    default: return H5Idec_ref(id) < 0 ? -1 : 0;
  }
}

std::string take_hdf5_error() {
  std::string innermost;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
        // Downward ends at the function that first saw the failure; its words are the cause.
        if (error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
        return 0;
      },
      &innermost);
  H5Eclear2(H5E_DEFAULT);
  return innermost.empty() ? "HDF5 gave no reason" : innermost;
}

Handle open_read_only(const std::string& path) {
  hid_t errors = H5I_INVALID_HID;
  Handle file;
  {
    const Handle access = fresh_access();
    H5Eclear2(H5E_DEFAULT);
    file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
    if (!file.valid()) errors = H5Eget_current_stack();
  }
  if (errors >= 0) H5Eset_current_stack(errors);  // closing the list has cleared them
  return file;
}

Error marked_as_written(const std::string& path) {
  return {ErrorKind::data, path, "is marked as being written",
          "wait for the program that writes it; if it no longer runs: weft recover"};
}

void throw_not_opened(const std::string& path, std::string_view hint) {
  const std::string words = take_hdf5_error();
  if (words.find("unable to lock file") != std::string::npos) {
    throw Error(ErrorKind::system, path, "another program has it open for writing",
                "wait for it or close it there; HDF5_USE_FILE_LOCKING=FALSE reads it all the same");
  }
  if (words.find("already open for") != std::string::npos) throw marked_as_written(path);
  throw Error(ErrorKind::data, path, "cannot be opened as HDF5: " + words, hint);
}

void throw_hdf5_error(ErrorKind kind, std::string_view where, std::string_view what) {
  std::string words(what);
  words += ": ";
  words += take_hdf5_error();
  throw Error(kind, where, words);
}

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

hid_t native_type(DataType type) {
  switch (type) {
    case DataType::float32: return H5T_NATIVE_FLOAT;
    case DataType::float64: return H5T_NATIVE_DOUBLE;
    case DataType::int32: return H5T_NATIVE_INT32;
    case DataType::int64: return H5T_NATIVE_INT64;
    case DataType::uint8: return H5T_NATIVE_UINT8;
  }
  return H5I_INVALID_HID;
}

}  // namespace weft::storage
