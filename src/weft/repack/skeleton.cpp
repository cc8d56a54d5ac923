#include "weft/repack/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "weft/repack/references.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/survey.hpp"

namespace weft::repack {

namespace {

using storage::Handle;

constexpr std::uint64_t kMostCopiedAtOnce = 16ULL << 20;

template <typename Result>
Result read_ok(Result result, const std::string& path, std::string_view what) {
  return storage::check_hdf5(result, path, what, ErrorKind::data);
}

// One by one: the list HDF5 1.10 gives of a group with many links also says where in its file they are, and a group
// made with it looks for them there.
void copy_group_properties(hid_t group, hid_t properties) {
  const Handle source(H5Gget_create_plist(group));
  unsigned order = 0;
  unsigned most = 0;
  unsigned least = 0;
  if (H5Pget_link_creation_order(source, &order) >= 0) H5Pset_link_creation_order(properties, order);
  if (H5Pget_attr_creation_order(source, &order) >= 0) H5Pset_attr_creation_order(properties, order);
  if (H5Pget_link_phase_change(source, &most, &least) >= 0) H5Pset_link_phase_change(properties, most, least);
  if (H5Pget_attr_phase_change(source, &most, &least) >= 0) H5Pset_attr_phase_change(properties, most, least);
  if (H5Pget_est_link_info(source, &most, &least) >= 0) H5Pset_est_link_info(properties, most, least);
}

class Copier {
 public:
  Copier(hid_t from, hid_t to, const std::vector<NewLayout>& anew, const std::function<void()>& check)
      : from_(from), to_(to), check_(check) {
    for (const NewLayout& layout : anew) anew_[address_of(from_, layout.path)] = &layout;
  }

  SkeletonReport copy(const std::optional<FrontRoom>& front) {
    if (front) {
      make_mappings();
      front->make();
    }
    paths_.emplace(address_of(from_, "/"), "/");
    objects_.emplace_back("/");
    links_of("/");
    // References can be made only when all that they point at is there.
    if (front) front->free();
    for (const std::string& path : objects_) attributes_of(path);
    for (const std::string& path : by_hand_) elements_of(path);
    return report_;
  }

 private:
  struct Link {
    std::string name;
    storage::LinkInfo info;
  };

  // Of all virtual datasets, without names so far.
  void make_mappings() {
    std::vector<std::string> names;
    read_ok(storage::visit_objects(
                from_,
                [](hid_t, const char* name, const storage::VisitedObject* info, void* data) -> herr_t {
                  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(data)->push_back(name);
                  return 0;
                },
                &names),
            "/", "its objects cannot be listed");
    for (const std::string& name : names) {
      const Handle source(read_ok(H5Dopen2(from_, name.c_str(), H5P_DEFAULT), name, "cannot be opened"));
      const Handle properties(H5Dget_create_plist(source));
      if (H5Pget_layout(properties) != H5D_VIRTUAL) continue;
      check_();
      const Handle type(read_ok(H5Dget_type(source), name, "its type cannot be read"));
      const Handle space(H5Dget_space(source));
      mappings_.emplace(address_of(from_, name), storage::check_hdf5(H5Dcreate_anon(to_, counterpart(type, name), space,
                                                                                    properties, H5P_DEFAULT),
                                                                     name, "cannot be created"));
    }
  }

  haddr_t address_of(hid_t file, const std::string& path) {
    storage::ObjectInfo info;
    read_ok(storage::object_info(file, path.c_str(), info), path, "cannot be opened");
    return info.address;
  }

  static Handle link_properties(H5T_cset_t encoding) {
    Handle properties(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_char_encoding(properties, encoding);
    return properties;
  }

  // The links of a group in the order in which they were made where it knows that, else by name.
  std::vector<Link> links_in(hid_t group, const std::string& path) {
    const Handle properties(H5Gget_create_plist(group));
    unsigned tracked = 0;
    H5Pget_link_creation_order(properties, &tracked);
    const H5_index_t order = (tracked & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    std::vector<Link> links;
    read_ok(storage::visit_links(
                group, order, H5_ITER_INC,
                [](hid_t, const char* name, const storage::LinkInfo* info, void* data) -> herr_t {
                  static_cast<std::vector<Link>*>(data)->push_back({name, *info});
                  return 0;
                },
                &links),
            path, "its links cannot be read");
    return links;
  }

  void links_of(const std::string& path) {
    const Handle group(read_ok(H5Gopen2(from_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    for (const Link& link : links_in(group, path)) {
      check_();
      const std::string target = (path == "/" ? "" : path) + "/" + link.name;
      const Handle properties = link_properties(link.info.cset);
      if (link.info.type != H5L_TYPE_HARD) {
        storage::check_hdf5(H5Lcopy(from_, target.c_str(), to_, target.c_str(), properties, H5P_DEFAULT), target,
                            "the link cannot be copied");
        continue;
      }
      storage::ObjectInfo info;
      read_ok(storage::object_info(from_, target.c_str(), info), target, "cannot be opened");
      const auto seen = paths_.find(info.address);
      if (seen != paths_.end()) {
        storage::check_hdf5(H5Lcreate_hard(to_, seen->second.c_str(), to_, target.c_str(), properties, H5P_DEFAULT),
                            target, "the link cannot be copied");
        continue;
      }
      paths_[info.address] = target;
      objects_.push_back(target);
      if (info.type == H5O_TYPE_GROUP) {
        group_at(target, properties);
      } else if (info.type == H5O_TYPE_DATASET) {
        dataset_at(target, info.address, properties);
      } else {
        const Handle type(read_ok(H5Topen2(from_, target.c_str(), H5P_DEFAULT), target, "cannot be opened"));
        storage::check_hdf5(H5Olink(counterpart(type, target), to_, target.c_str(), properties, H5P_DEFAULT), target,
                            "the type cannot be copied");
      }
    }
  }

  void group_at(const std::string& path, hid_t link_properties) {
    {
      const Handle source(read_ok(H5Gopen2(from_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
      const Handle properties(H5Pcreate(H5P_GROUP_CREATE));
      copy_group_properties(source, properties);
      const Handle made(storage::check_hdf5(H5Gcreate2(to_, path.c_str(), link_properties, properties, H5P_DEFAULT),
                                            path, "cannot be created"));
      comment(source, made);
    }
    links_of(path);
  }

  // The type in the copy: a committed one's counterpart (without a name until its name is met), any other one as it is.
  hid_t counterpart(hid_t type, const std::string& path) {
    if (H5Tcommitted(type) <= 0) return type;
    storage::ObjectInfo info;
    read_ok(storage::object_info(type, info), path, "its type cannot be opened");
    const auto known = types_.find(info.address);
    if (known != types_.end()) return known->second;
    Handle copy(H5Tcopy(type));
    const Handle properties(H5Tget_create_plist(type));
    storage::check_hdf5(H5Tcommit_anon(to_, copy, properties, H5P_DEFAULT), path, "its type cannot be copied");
    return types_.emplace(info.address, std::move(copy)).first->second;
  }

  void dataset_at(const std::string& path, haddr_t address, hid_t link_properties) {
    const Handle source(read_ok(H5Dopen2(from_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    const Handle type(read_ok(H5Dget_type(source), path, "its type cannot be read"));
    const auto layout = anew_.find(address);
    // Of lists and text H5Ocopy leaves the fill value where it was in the original (1.10), which netCDF's readers meet.
    const bool by_hand = H5Tcommitted(type) > 0 || holds_references(type) || survey::has_variable_text(type) ||
                         H5Tdetect_class(type, H5T_VLEN) > 0;
    if (layout == anew_.end()) ++report_.copied_datasets;
    if (const auto made = mappings_.find(address); made != mappings_.end()) {
      storage::check_hdf5(H5Olink(made->second, to_, path.c_str(), link_properties, H5P_DEFAULT), path,
                          "cannot be created");
      comment(source, made->second);
      mappings_.erase(made);  // other names are links to this one
      return;
    }
    if (layout == anew_.end() && !by_hand) {
      const Handle options(H5Pcreate(H5P_OBJECT_COPY));
      H5Pset_copy_object(options, H5O_COPY_WITHOUT_ATTR_FLAG);
      storage::check_hdf5(H5Ocopy(from_, path.c_str(), to_, path.c_str(), options, link_properties), path,
                          "cannot be copied");
      return;
    }
    const Handle properties(H5Dget_create_plist(source));
    if (layout != anew_.end()) lay_out_anew(properties, *layout->second);
    const Handle space(H5Dget_space(source));
    const Handle made(storage::check_hdf5(
        H5Dcreate2(to_, path.c_str(), counterpart(type, path), space, link_properties, properties, H5P_DEFAULT), path,
        "cannot be created"));
    comment(source, made);
    if (layout == anew_.end()) by_hand_.push_back(path);
  }

  static void lay_out_anew(hid_t properties, const NewLayout& layout) {
    const std::vector<hsize_t> chunk = storage::to_hsize(layout.chunk);
    H5Premove_filter(properties, H5Z_FILTER_ALL);
    storage::check_hdf5(H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()), layout.path,
                        fmt::format("HDF5 refuses a chunk of {}", to_string(layout.chunk)), ErrorKind::usage);
    H5Pset_chunk_opts(properties, 0);  // chunks at the edge are filtered like all others
    storage::add_filters(properties, layout.filters);
    H5Pset_alloc_time(properties, layout.space_at_once ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_INCR);
    H5Pset_fill_time(properties, layout.space_at_once ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_IFSET);
  }

  static void comment(hid_t source, hid_t made) {
    const ssize_t length = H5Oget_comment(source, nullptr, 0);
    if (length <= 0) return;
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    H5Oget_comment(source, text.data(), text.size());
    H5Oset_comment(made, text.c_str());
  }

  // Elements that have to go through memory, a stretch of the first axis at a time.
  void elements_of(const std::string& path) {
    const Handle source(read_ok(H5Dopen2(from_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    const Handle made(storage::check_hdf5(H5Dopen2(to_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    const survey::DatasetFacts facts = survey::facts_of(source, path);
    if (facts.empty || H5Dget_storage_size(source) == 0) return;
    const Handle type(H5Dget_type(source));
    const bool translates = holds_references(type);
    const std::uint64_t rows = facts.scalar ? 1 : facts.shape[0];
    const std::uint64_t row_elements = element_count(facts.shape) / rows;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, kMostCopiedAtOnce / (row_elements * facts.element_bytes));
    for (std::uint64_t row = 0; row < rows; row += at_once) {
      check_();
      const std::uint64_t now = std::min(at_once, rows - row);
      const Handle in_file(H5Dget_space(source));
      if (!facts.scalar) {
        std::vector<hsize_t> start(facts.shape.size(), 0);
        std::vector<hsize_t> count = storage::to_hsize(facts.shape);
        start[0] = row;
        count[0] = now;
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      }
      const Handle in_memory = storage::simple_space({now * row_elements});
      std::vector<std::byte> elements(now * row_elements * facts.element_bytes);
      read_ok(H5Dread(source, type, in_memory, in_file, H5P_DEFAULT, elements.data()), path, "cannot be read");
      if (translates) {
        report_.lost_references += translate_references(from_, to_, paths_, type, elements.data(), now * row_elements);
      }
      const herr_t written = H5Dwrite(made, type, in_memory, in_file, H5P_DEFAULT, elements.data());
      H5Dvlen_reclaim(type, in_memory, H5P_DEFAULT, elements.data());
      storage::check_hdf5(written, path, "cannot be written");
    }
  }

  void attributes_of(const std::string& path) {
    const Handle source(read_ok(H5Oopen(from_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    const Handle made(storage::check_hdf5(H5Oopen(to_, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    std::vector<std::string> names;
    read_ok(H5Aiterate2(
                source, attribute_order(source), H5_ITER_INC, nullptr,
                [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
                  static_cast<std::vector<std::string>*>(data)->push_back(name);
                  return 0;
                },
                &names),
            path, "its attributes cannot be read");
    for (const std::string& name : names) {
      check_();
      attribute(source, made, name, fmt::format("{}, attribute {}", path, name));
    }
  }

  static H5_index_t attribute_order(hid_t object) {
    Handle properties;
    switch (H5Iget_type(object)) {
      case H5I_GROUP: properties = Handle(H5Gget_create_plist(object)); break;
      case H5I_DATASET: properties = Handle(H5Dget_create_plist(object)); break;
      default: properties = Handle(H5Tget_create_plist(object)); break;
    }
    unsigned tracked = 0;
    H5Pget_attr_creation_order(properties, &tracked);
    return (tracked & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  }

  void attribute(hid_t source, hid_t made, const std::string& name, const std::string& where) {
    const Handle attribute(read_ok(H5Aopen(source, name.c_str(), H5P_DEFAULT), where, "cannot be opened"));
    const Handle type(H5Aget_type(attribute));
    const Handle space(H5Aget_space(attribute));
    const Handle properties(H5Aget_create_plist(attribute));
    const Handle copy(
        storage::check_hdf5(H5Acreate2(made, name.c_str(), counterpart(type, where), space, properties, H5P_DEFAULT),
                            where, "cannot be created"));
    const hssize_t elements = H5Sget_simple_extent_npoints(space);
    if (H5Sget_simple_extent_type(space) == H5S_NULL || elements <= 0) return;
    const auto count = static_cast<std::uint64_t>(elements);
    std::vector<std::byte> value(H5Tget_size(type) * count);
    read_ok(H5Aread(attribute, type, value.data()), where, "cannot be read");
    if (holds_references(type)) {
      report_.lost_references += translate_references(from_, to_, paths_, type, value.data(), count);
    }
    const herr_t written = H5Awrite(copy, type, value.data());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, value.data());
    storage::check_hdf5(written, where, "cannot be written");
  }

  hid_t from_;
  hid_t to_;
  const std::function<void()>& check_;
  std::map<haddr_t, const NewLayout*> anew_;  // by the dataset's address: it may have several names
  PathsByAddress paths_;
  std::vector<std::string> objects_;    // in the order in which they were made
  std::vector<std::string> by_hand_;    // datasets whose elements HDF5 cannot copy as they are
  std::map<haddr_t, Handle> mappings_;  // virtual datasets of the copy, by their originals' addresses
  std::map<haddr_t, Handle> types_;     // committed ones of the copy, by their originals' addresses
  SkeletonReport report_;
};

}  // namespace

Handle file_creation(hid_t file) {
  // One by one, as with groups: the list of an open file also says where its root's links are.
  const Handle source(read_ok(H5Fget_create_plist(file), "/", "cannot be asked how the file was made"));
  Handle properties(H5Pcreate(H5P_FILE_CREATE));
  hsize_t user_block = 0;
  H5Pget_userblock(source, &user_block);
  H5Pset_userblock(properties, user_block);
  std::size_t addresses = 0;
  std::size_t lengths = 0;
  H5Pget_sizes(source, &addresses, &lengths);
  H5Pset_sizes(properties, addresses, lengths);
  H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
  hbool_t persists = false;
  hsize_t threshold = 1;
  hsize_t page = 0;
  if (H5Pget_file_space_strategy(source, &strategy, &persists, &threshold) >= 0) {
    H5Pset_file_space_strategy(properties, strategy, persists, threshold);
    if (H5Pget_file_space_page_size(source, &page) >= 0) H5Pset_file_space_page_size(properties, page);
  }
  const Handle root(read_ok(H5Gopen2(file, "/", H5P_DEFAULT), "/", "cannot be opened"));
  copy_group_properties(root, properties);
  return properties;
}

SkeletonReport copy_skeleton(hid_t from, hid_t to, const std::vector<NewLayout>& anew,
                             const std::function<void()>& check, const std::optional<FrontRoom>& front) {
  return Copier(from, to, anew, check).copy(front);
}

}  // namespace weft::repack
