// kernels/ecg/plain_source.hpp - a Weft file as the paper's code would convert it: every value through PlainFile.
//
// What there is in the file (fields, steps, mesh) is asked of a SeriesReader; fields and mesh are read by HDF5 alone. A
// rank's nodes of a step are one stretch, and one H5Dread: those between them that it has no use for come along.
#pragma once

#include "kernels/ecg/plain_file.hpp"
#include "weft/convert/step_source.hpp"
#include "weft/reading/series_reader.hpp"

namespace weft::kernels::ecg {

class PlainSource final : public convert::StepSource {
 public:
  // Error(usage) where the file has no mesh. `file` outlives this.
  PlainSource(const SeriesReader& reader, PlainFile& file);

  std::uint64_t bridge_bytes() const override;
  convert::ChunkShape chunk_of(const convert::FieldGroup&) const override { return {}; }

 private:
  void read_parts(std::span<const Part> parts, std::span<std::byte> values) const override;
  void stored_mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const override;

  storage::SeriesCatalog catalog_;
  PlainFile& file_;
};

}  // namespace weft::kernels::ecg
