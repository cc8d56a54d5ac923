// A file that Weft did not write as a source: through HDF5's own reads, whatever the layout and the filters.
#include "weft/convert/step_source.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/recording.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/support/error.hpp"

namespace weft::convert {

namespace {

using storage::Handle;

class RecordedSource final : public StepSource {
 public:
  RecordedSource(const view::ForeignFile& file, std::span<const std::string> fields) {
    view::RecordedView shown = view::recorded_view(file);
    recording_ = std::move(shown.recording);
    view_ = std::move(shown.view);
    times_ = recording_.times;
    time_units_ = recording_.time_units;
    const std::string name = recording_.dataset.substr(recording_.dataset.rfind('/') + 1);
    choose(recording_.file, fields, std::vector<Alias>{{name, recording_.dataset}});
    const storage::QuietHdf5 quiet;
    file_ = storage::open_recording(recording_.file);
    dataset_ = Handle(storage::check_hdf5(H5Dopen2(file_, recording_.dataset.c_str(), H5P_DEFAULT), recording_.file,
                                          "cannot open dataset " + recording_.dataset, ErrorKind::data));
    const Handle properties(H5Dget_create_plist(dataset_));
    std::vector<hsize_t> chunk(recording_.shape.size(), 1);
    if (H5Pget_layout(properties) == H5D_CHUNKED) {
      H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
      chunk_ = {chunk[0], chunk[1]};
    }
  }

  // HDF5 reads chunks whole: nearby rows are read as one selection, those far apart are not.
  std::uint64_t bridge_bytes() const override {
    return chunk_.rows * size_of(recording_.type) *
           (element_count(recording_.shape) / recording_.shape[0] / recording_.shape[1]);
  }
  ChunkShape chunk_of(const FieldGroup&) const override { return chunk_; }

 private:
  void read_parts(std::span<const Part> parts, std::span<std::byte> values) const override {
    const storage::QuietHdf5 quiet;
    const hid_t type = storage::native_type(recording_.type);
    std::size_t at = 0;
    for (const Part& part : parts) {
      const std::vector<hsize_t> start(part.box.start.begin(), part.box.start.end());
      const std::vector<hsize_t> count(part.box.count.begin(), part.box.count.end());
      const Handle space(H5Dget_space(dataset_));
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
      storage::check_hdf5(H5Dread(dataset_, type, memory, space, H5P_DEFAULT, values.data() + at), recording_.file,
                          "cannot read " + recording_.dataset, ErrorKind::data);
      at += element_count(part.box.count) * size_of(recording_.type);
    }
  }

  void stored_mesh_bytes(const std::string& path, std::uint64_t, std::span<std::byte>) const override {
    throw Error(ErrorKind::data, recording_.file, "has no array " + path);  // the view has all of its mesh
  }

  storage::Recording recording_;
  Handle file_;
  Handle dataset_;
  ChunkShape chunk_;
};

}  // namespace

std::unique_ptr<StepSource> open_recorded_source(Communicator& comm, const view::ForeignFile& file,
                                                 std::span<const std::string> fields) {
  storage::find_one_file(comm, storage::file_of_recording(file.from));
  std::unique_ptr<StepSource> source;
  agree_on(comm, [&] { source = std::make_unique<RecordedSource>(file, fields); });
  return source;
}

}  // namespace weft::convert
