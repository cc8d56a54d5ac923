#include "with/write_call.hpp"

#include <map>
#include <utility>
#include <vector>

#include "with/closing.hpp"
#include "with/selection.hpp"

namespace weft::with {

hid_t transfer_list(Library& library, bool collective) {
  static auto* lists = new std::map<std::pair<Library*, bool>, hid_t>;
  const auto known = lists->find({&library, collective});
  if (known != lists->end()) return known->second;
  const hid_t kind = library.property_class("H5P_CLS_DATASET_XFER_ID_g", "data transfer");
  const hid_t list = kind < 0 ? -1 : WEFT_CALL(library, H5Pcreate)(kind);
  if (collective && list > 0) {
    using Set = herr_t (*)(hid_t, int);
    if (auto* set = reinterpret_cast<Set>(library.find_by_name("H5Pset_dxpl_mpio"))) set(list, 1);
  }
  return (*lists)[{&library, collective}] = list;
}

bool is_collective(Library& library, hid_t transfer) {
  if (transfer == H5P_DEFAULT) return false;
  const Library::TransferMode get = library.transfer_mode();
  int mode = 0;
  return get != nullptr && get(transfer, &mode) >= 0 && mode == 1;
}

namespace {

// Nothing in it changes values on their way.
bool is_plain_transfer(Library& library, hid_t transfer) {
  if (transfer == H5P_DEFAULT) return true;
  for (const bool collective : {false, true}) {
    const hid_t list = transfer_list(library, collective);
    if (list >= 0 && WEFT_CALL(library, H5Pequal)(transfer, list) > 0) return true;
  }
  using Transform = ssize_t (*)(hid_t, char*, size_t);
  using Convert = herr_t (*)(hid_t, void*, void**);
  auto* transform = reinterpret_cast<Transform>(library.find_by_name("H5Pget_data_transform"));
  auto* convert = reinterpret_cast<Convert>(library.find_by_name("H5Pget_type_conv_cb"));
  if (transform == nullptr || convert == nullptr) return false;
  const Quiet quiet(library);
  void* function = nullptr;
  void* data = nullptr;
  return transform(transfer, nullptr, 0) <= 0 && convert(transfer, &function, &data) >= 0 && function == nullptr;
}

}  // namespace

std::optional<Step> step_of(Library& library, const OpenDataset& dataset, const WriteCall& call) {
  if (!dataset.plain_values || dataset.is_virtual || call.values == nullptr || call.file_space == H5S_ALL) {
    return std::nullopt;
  }
  if (transfer_list(library, false) < 0 || transfer_list(library, true) < 0) return std::nullopt;
  const Closing space(WEFT_CALL(library, H5Dget_space)(call.dataset), WEFT_CALL(library, H5Sclose));
  const auto shape = extents(library, space.id());
  const auto asked = extents(library, call.file_space);
  if (!shape || asked != shape || !is_plain_type(library, call.memory_type) ||
      !is_plain_transfer(library, call.transfer)) {
    return std::nullopt;
  }
  const Selection selection = selection_of(library, call.file_space, *shape);
  if (selection.kind == Selection::Kind::none) return Step{};
  if (selection.kind != Selection::Kind::box) return std::nullopt;
  for (std::size_t axis = 0; axis < shape->size(); ++axis) {
    if (selection.box.start[axis] + selection.box.count[axis] > (*shape)[axis]) return std::nullopt;
  }
  const std::size_t axis = step_axis_of(selection.box, *shape);
  if (axis >= shape->size()) return std::nullopt;
  const hid_t memory = call.memory_space == H5S_ALL ? call.file_space : call.memory_space;
  const hssize_t elements = WEFT_CALL(library, H5Sget_select_npoints)(memory);
  if (elements < 0 || static_cast<std::uint64_t>(elements) != selection.elements) return std::nullopt;
  return Step{axis, selection.box};
}

bool copy_step(Library& library, const WriteCall& call, const Step& step, StepWindow& window) {
  if (step.nothing()) return true;
  const auto* values = static_cast<const std::byte*>(call.values);
  const hid_t memory = call.memory_space == H5S_ALL ? call.file_space : call.memory_space;
  const std::uint64_t bytes = window.step_bytes();
  if (call.memory_space != H5S_ALL) {
    const auto shape = extents(library, memory);
    if (shape) {
      const Selection selection = selection_of(library, memory, *shape);
      if (selection.kind == Selection::Kind::box && selection.box.count == *shape) {
        window.put(values);
        return true;
      }
    }
  }
  // HDF5 collects what is selected, in the order of the selection; straight to its place where it is one run.
  if (window.runs() == 1) {
    return WEFT_CALL(library, H5Dgather)(memory, values, call.memory_type, bytes, window.next(), nullptr, nullptr) >= 0;
  }
  std::vector<std::byte> collected(bytes);
  if (WEFT_CALL(library, H5Dgather)(memory, values, call.memory_type, bytes, collected.data(), nullptr, nullptr) < 0) {
    return false;
  }
  window.put(collected.data());
  return true;
}

}  // namespace weft::with
