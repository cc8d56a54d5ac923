#include "kernels/hard/record_dataset.hpp"

#include <array>

namespace weft::kernels::hard {

using storage::check_hdf5;
using storage::Handle;

RecordDataset::RecordDataset(const MpiCommunicator& comm, const std::string& path, std::uint64_t records,
                             std::uint64_t words, const Hints& hints)
    : path_(path), rank_(static_cast<std::uint64_t>(comm.rank())) {
  const storage::QuietHdf5 quiet;
  MPI_Info info = MPI_INFO_NULL;
  if (!hints.empty()) MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  const herr_t set = H5Pset_fapl_mpio(access, comm.handle(), info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  check_hdf5(set, path, "MPI-IO");
  file_ = Handle(check_hdf5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), path, "cannot be made"));

  const std::array<hsize_t, 3> shape{records, static_cast<hsize_t>(comm.size()), words};
  in_file_ = Handle(H5Screate_simple(3, shape.data(), nullptr));
  const Handle made(H5Pcreate(H5P_DATASET_CREATE));
  check_hdf5(H5Pset_fill_time(made, H5D_FILL_TIME_NEVER), path, "its fill time");
  dataset_ = Handle(check_hdf5(H5Dcreate2(file_, "record", H5T_NATIVE_INT64, in_file_, H5P_DEFAULT, made, H5P_DEFAULT),
                               path, "its dataset"));
  const hsize_t count = words;
  in_memory_ = Handle(H5Screate_simple(1, &count, nullptr));
  transfer_ = Handle(H5Pcreate(H5P_DATASET_XFER));
  check_hdf5(H5Pset_dxpl_mpio(transfer_, H5FD_MPIO_COLLECTIVE), path, "collective writes");
}

void RecordDataset::write(std::uint64_t record, std::span<const std::int64_t> words) {
  const storage::QuietHdf5 quiet;
  const std::array<hsize_t, 3> start{record, rank_, 0};
  const std::array<hsize_t, 3> count{1, 1, words.size()};
  check_hdf5(H5Sselect_hyperslab(in_file_, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), path_,
             "the place of a record");
  check_hdf5(H5Dwrite(dataset_, H5T_NATIVE_INT64, in_memory_, in_file_, transfer_, words.data()), path_,
             "cannot write a record");
}

void RecordDataset::close() {
  const storage::QuietHdf5 quiet;
  dataset_.reset();
  check_hdf5(file_.reset(), path_, "cannot close");
}

}  // namespace weft::kernels::hard
