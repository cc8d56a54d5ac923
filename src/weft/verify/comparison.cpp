#include "weft/verify/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/checksums.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/survey/survey.hpp"
#include "weft/survey/type_text.hpp"
#include "weft/survey/virtual_sources.hpp"
#include "weft/verify/compared_file.hpp"
#include "weft/verify/value_comparison.hpp"

namespace weft::verify {

namespace {

using storage::check_hdf5;
using storage::Handle;

std::vector<std::string> attribute_names(hid_t object, const std::string& path) {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  check_hdf5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names), path,
             "its attributes cannot be listed", ErrorKind::data);
  std::sort(names.begin(), names.end());
  return names;
}

// "scalar", "nothing", "151x400"; and how far it may grow, where that counts.
std::string extents_text(hid_t space, bool strict) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return "nothing";
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  std::vector<hsize_t> most(extents.size());
  H5Sget_simple_extent_dims(space, extents.data(), most.data());
  if (extents.empty()) return "scalar";
  std::string text = fmt::format("{}", fmt::join(extents, "x"));
  if (strict && most != extents) {
    std::vector<std::string> words;
    words.reserve(most.size());
    for (const hsize_t extent : most) words.push_back(extent == H5S_UNLIMITED ? "any" : std::to_string(extent));
    text += fmt::format(" of at most {}", fmt::join(words, "x"));
  }
  return text;
}

// What H5DSattach_scale keeps of the datasets a dimension scale belongs to. HDF5 1.10 counts their axes in int32, 1.12
// and later in uint32: the same list, whoever wrote it.
bool lists_scaled_datasets(const std::string& name, hid_t type) {
  if (name != "REFERENCE_LIST" || H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
  return H5Tget_member_index(type, "dataset") == 0 && H5Tget_member_class(type, 0) == H5T_REFERENCE &&
         H5Tget_member_index(type, "dimension") == 1 && H5Tget_member_class(type, 1) == H5T_INTEGER;
}

// Nothing where the file is not a Weft file, or one that is damaged.
std::optional<std::uint64_t> readable_steps(const ComparedFile& file) {
  try {
    const storage::SeriesCatalog map = storage::catalog_open_file(file.file, file.path);
    return storage::readable_steps(*survey::open_bytes(file.path), map);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool has_elements(hid_t space) {
  return H5Sget_simple_extent_type(space) != H5S_NULL && H5Sget_simple_extent_npoints(space) > 0;
}

class Walk {
 public:
  Walk(const std::string& left, const std::string& right, const ComparisonOptions& options)
      : left_(left), right_(right), options_(options) {
    result_.left = left;
    result_.right = right;
    if (options.strict) return;
    leave_out_bookkeeping(left_);
    leave_out_bookkeeping(right_);
  }

  Comparison run() {
    const storage::QuietHdf5 quiet;
    for (const ComparedFile* file : {&left_, &right_}) {
      for (const survey::Problem& problem : file->walk.problems) {
        result_.unreadable.push_back({problem.path, fmt::format("in {}: {}", file->path, problem.what)});
      }
    }
    left_datasets_ = dataset_names(left_.walk);
    right_datasets_ = dataset_names(right_.walk);
    count_bytes();
    for (const survey::FoundObject& object : left_.walk.objects) {
      guarded(object.path, [&] { compare_object(object); });
    }
    compare_names();
    return std::move(result_);
  }

 private:
  template <typename Work>
  void guarded(const std::string& path, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;
      std::string what = error.what();
      if (what.starts_with(path + ": ")) what.erase(0, path.size() + 2);
      result_.unreadable.push_back({path, what});
    }
  }

  void differ(const std::string& path, std::string what) { result_.differences.push_back({path, std::move(what)}); }
  void differ_in(const std::string& path, std::string_view what, const std::string& left, const std::string& right) {
    if (left != right) differ(path, fmt::format("{}: {} / {}", what, left, right));
  }

  void count_bytes() {
    for (const survey::FoundObject& object : left_.walk.objects) {
      if (object.kind != survey::ObjectKind::dataset) continue;
      try {
        const Handle dataset(H5Dopen2(left_.file, object.path.c_str(), H5P_DEFAULT));
        if (dataset.valid()) total_ += survey::facts_of(dataset, object.path).logical_bytes();
      } catch (const Error&) {  // told when its turn comes
        H5Eclear2(H5E_DEFAULT);
      }
    }
  }

  // Checksums are of pieces, which are the layout's; a file that is not Weft's may have a group /weft for them alone.
  // And who wrote a file, how often it was changed and what is on a disk are no part of what it holds.
  static void leave_out_bookkeeping(ComparedFile& file) {
    for (const char* path : {storage::kChecksumsGroup, "/weft/writer", "/weft/durable"}) {
      survey::leave_out(file.walk, path);
    }
    const auto is_weft = [](const auto& one) { return one.path.starts_with("/weft"); };
    if (std::count_if(file.walk.links.begin(), file.walk.links.end(), is_weft) == 1)
      survey::leave_out(file.walk, "/weft");
  }

  // Every name of one file in the other, and of the same object or with the same target. Of what one file does not
  // have, or does not let us see, the top is told and not all that is below.
  void compare_names() {
    std::set<std::string> tops;
    for (const survey::Problem& problem : result_.unreadable) tops.insert(problem.path);
    std::map<std::string, const survey::FoundLink*> right;
    for (const survey::FoundLink& link : right_.walk.links) right[link.path] = &link;
    for (const survey::FoundLink& link : left_.walk.links) {
      const auto found = right.find(link.path);
      if (found == right.end()) {
        tell_missing(link.path, left_.path, tops);
      } else {
        compare_links(link, *found->second);
        right.erase(found);
      }
    }
    for (const auto& [path, link] : right) tell_missing(path, right_.path, tops);
  }

  void tell_missing(const std::string& path, const std::string& file, std::set<std::string>& tops) {
    for (std::size_t end = path.size(); end != 0 && end != std::string::npos; end = path.rfind('/', end - 1)) {
      if (tops.contains(path.substr(0, end))) return;
    }
    tops.insert(path);
    differ(path, fmt::format("is only in {}", file));
  }

  void compare_links(const survey::FoundLink& left, const survey::FoundLink& right) {
    if (left.kind != right.kind) {
      differ_in(left.path, "is a", std::string(name_of(left.kind)), std::string(name_of(right.kind)));
    } else if (left.kind == survey::LinkKind::hard) {
      differ_in(left.path, "is a name of", left_.walk.name_at(left.address), right_.walk.name_at(right.address));
    } else if (left.kind == survey::LinkKind::other) {
      result_.left_out.push_back(left.path + ": a user-defined link");
    } else {
      ++result_.links;
      differ_in(left.path, "points at", left.target, right.target);
    }
  }

  // An object under the first of its names. Where the other file has another object of this name, compare_names()
  // tells.
  void compare_object(const survey::FoundObject& object) {
    const Handle right(H5Oopen(right_.file, object.path.c_str(), H5P_DEFAULT));
    if (!right.valid()) {
      H5Eclear2(H5E_DEFAULT);
      return;  // told by compare_names(), or by the walk
    }
    const auto at = right_.walk.by_address.find(survey::address_of(right));
    if (at == right_.walk.by_address.end()) return;
    const survey::FoundObject& other = right_.walk.objects[at->second];
    if (object.kind != other.kind) {
      return differ_in(object.path, "is a", std::string(name_of(object.kind)), std::string(name_of(other.kind)));
    }
    const Handle left(check_hdf5(H5Oopen(left_.file, object.path.c_str(), H5P_DEFAULT), object.path, "cannot be opened",
                                 ErrorKind::data));
    compare_attributes(object.path, left, right);
    if (object.kind == survey::ObjectKind::group) ++result_.groups;
    if (object.kind == survey::ObjectKind::type) {
      ++result_.types;
      compare_types(object.path, "type", left, right);
    }
    if (object.kind == survey::ObjectKind::dataset && !compare_commits(object.path)) {
      compare_datasets(object.path, left, right);
    }
  }

  // Commit slots say how far each rank that wrote the file came: files of other numbers of ranks hold the same where
  // as many steps count in both. False where the slots themselves have to be compared.
  bool compare_commits(const std::string& path) {
    if (options_.strict || path != "/weft/commit") return false;
    const std::optional<std::uint64_t> left = readable_steps(left_);
    const std::optional<std::uint64_t> right = readable_steps(right_);
    if (!left || !right) return false;
    ++result_.datasets;
    differ_in(path, "committed steps", fmt::format("{}", *left), fmt::format("{}", *right));
    return true;
  }

  // Whether values can be compared: the types mean the same.
  bool compare_types(const std::string& path, const std::string& what, hid_t left, hid_t right) {
    const std::string one = survey::type_text(left, survey::TypeDetail::values);
    const std::string other = survey::type_text(right, survey::TypeDetail::values);
    differ_in(path, what, one, other);
    if (one != other) return false;
    if (options_.strict) {
      differ_in(path, what, survey::type_text(left, survey::TypeDetail::storage),
                survey::type_text(right, survey::TypeDetail::storage));
    }
    differ_in(path, what + " is committed as", committed_name(left_, left), committed_name(right_, right));
    return true;
  }

  static std::string committed_name(const ComparedFile& file, hid_t type) {
    if (H5Tcommitted(type) <= 0) return "nothing";
    const std::string name = file.walk.name_at(survey::address_of(type));
    return name.empty() ? "a type without a name" : name;
  }

  void compare_attributes(const std::string& path, hid_t left, hid_t right) {
    const std::vector<std::string> names = attribute_names(left, path);
    const std::vector<std::string> others = attribute_names(right, path);
    std::set<std::string> all(names.begin(), names.end());
    all.insert(others.begin(), others.end());
    if (!options_.strict) {
      all.erase("weft_layout");  // how a chunk was chosen
      // Where the chunks lie, and for how many more there is room.
      const bool is_segment = path.starts_with("/weft/segments/");
      std::erase_if(all, [&](const std::string& name) { return is_segment && name.starts_with("room"); });
    }
    for (const std::string& name : all) {
      const bool in_left = std::binary_search(names.begin(), names.end(), name);
      const bool in_right = std::binary_search(others.begin(), others.end(), name);
      if (!in_left || !in_right) {
        differ(path, fmt::format("attribute {} is only in {}", name, in_left ? left_.path : right_.path));
        continue;
      }
      guarded(path, [&] {
        ++result_.attributes;
        const auto open = [&](hid_t object) {
          return Handle(check_hdf5(H5Aopen(object, name.c_str(), H5P_DEFAULT), path,
                                   fmt::format("attribute {} cannot be opened", name), ErrorKind::data));
        };
        compare_attribute(path, name, open(left), open(right));
      });
    }
  }

  void compare_attribute(const std::string& path, const std::string& name, hid_t left, hid_t right) {
    const std::string what = "attribute " + name;
    const Handle left_type(H5Aget_type(left));
    const Handle right_type(H5Aget_type(right));
    const bool same_list = lists_scaled_datasets(name, left_type) && lists_scaled_datasets(name, right_type);
    if ((!same_list || options_.strict) && !compare_types(path, what + ": type", left_type, right_type)) return;
    const Handle left_space(H5Aget_space(left));
    const Handle right_space(H5Aget_space(right));
    const std::string extents = extents_text(left_space, false);
    differ_in(path, what + ": shape", extents, extents_text(right_space, false));
    if (extents != extents_text(right_space, false)) return;
    if (const auto words = compare_attribute_values(left_, left, right_, right, name)) {
      differ(path, fmt::format("{}: {}", what, *words));
    }
  }

  void compare_datasets(const std::string& path, hid_t left, hid_t right) {
    ++result_.datasets;
    const Handle left_type(H5Dget_type(left));
    const Handle right_type(H5Dget_type(right));
    const bool same_type = compare_types(path, "type", left_type, right_type);
    const Handle left_space(H5Dget_space(left));
    const Handle right_space(H5Dget_space(right));
    const std::string extents = extents_text(left_space, false);
    differ_in(path, "shape", extents_text(left_space, options_.strict), extents_text(right_space, options_.strict));
    const std::uint64_t bytes = survey::facts_of(left, path).logical_bytes();
    const std::uint64_t before = done_;
    if (same_type && options_.strict) compare_fill(path, left, right, ElementType::in_memory(left_type));
    if (same_type && extents == extents_text(right_space, false) && has_elements(left_space)) {
      if (!show_the_same(left, right)) {
        const auto difference = compare_values(left_, right_, path, options_.budget_bytes,
                                               [&](std::uint64_t now) { advance(done_ + now); });
        if (difference) result_.values.push_back(*difference);
        result_.bytes += bytes;
      }
    }
    advance(before + bytes);
  }

  void advance(std::uint64_t done) {
    done_ = done;
    if (options_.progress) options_.progress(std::min(done_, total_), total_);
  }

  // Virtual datasets that map the same elements of datasets which are compared themselves.
  bool show_the_same(hid_t left, hid_t right) const {
    const std::vector<survey::VirtualSource> sources = survey::virtual_sources(left);
    if (sources.empty() || sources != survey::virtual_sources(right)) return false;
    return std::all_of(sources.begin(), sources.end(), [&](const survey::VirtualSource& source) {
      const std::string path = source.dataset.starts_with('/') ? source.dataset : "/" + source.dataset;
      return source.file == "." && left_datasets_.contains(path) && right_datasets_.contains(path);
    });
  }

  static std::set<std::string> dataset_names(const survey::ObjectWalk& walk) {
    std::set<std::string> names;
    for (const survey::FoundLink& link : walk.links) {
      if (link.kind == survey::LinkKind::hard &&
          walk.objects[walk.by_address.at(link.address)].kind == survey::ObjectKind::dataset) {
        names.insert(link.path);
      }
    }
    return names;
  }

  void compare_fill(const std::string& path, hid_t left, hid_t right, hid_t type) {
    const ElementType element(type);
    if (!element.plain()) return;
    const auto fill = [&](hid_t dataset, const ComparedFile& file) -> std::string {
      const Handle properties(H5Dget_create_plist(dataset));
      H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
      H5Pfill_value_defined(properties, &defined);
      std::vector<std::byte> value(element.bytes());
      if (defined == H5D_FILL_VALUE_UNDEFINED || H5Pget_fill_value(properties, type, value.data()) < 0) return "none";
      return element.text(value.data(), file.names);
    };
    differ_in(path, "fill value", fill(left, left_), fill(right, right_));
  }

  ComparedFile left_;
  ComparedFile right_;
  std::set<std::string> left_datasets_;  // all their names
  std::set<std::string> right_datasets_;
  ComparisonOptions options_;
  Comparison result_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

Comparison compare_files(const std::string& left, const std::string& right, const ComparisonOptions& options) {
  constexpr std::uint64_t kLeast = 1ULL << 20;
  if (options.budget_bytes < kLeast) {
    throw Error(ErrorKind::usage, fmt::format("a budget of {}", format_bytes(options.budget_bytes)),
                "is too small to compare with", fmt::format("give at least {}", format_bytes(kLeast)));
  }
  return Walk(left, right, options).run();
}

}  // namespace weft::verify
