#include "weft/survey/object_walk.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/support/error.hpp"

namespace weft::survey {

namespace {

using storage::check_hdf5;
using storage::Handle;

std::optional<ObjectKind> kind_of(hid_t object) {
  switch (H5Iget_type(object)) {
    case H5I_GROUP: return ObjectKind::group;
    case H5I_DATASET: return ObjectKind::dataset;
    case H5I_DATATYPE: return ObjectKind::type;
    default: return std::nullopt;
  }
}

std::string join(const std::string& folder, const std::string& name) {
  return folder == "/" ? "/" + name : folder + "/" + name;
}

LinkKind kind_of(H5L_type_t type) {
  switch (type) {
    case H5L_TYPE_HARD: return LinkKind::hard;
    case H5L_TYPE_SOFT: return LinkKind::soft;
    case H5L_TYPE_EXTERNAL: return LinkKind::external;
    default: return LinkKind::other;
  }
}

std::string target_of(hid_t group, const std::string& name, const FoundLink& link, std::size_t length) {
  if (link.kind != LinkKind::soft && link.kind != LinkKind::external) return {};
  std::string value(length, '\0');
  check_hdf5(H5Lget_val(group, name.c_str(), value.data(), value.size(), H5P_DEFAULT), link.path, "cannot be read",
             ErrorKind::data);
  if (link.kind == LinkKind::soft) return value.substr(0, value.find('\0'));
  unsigned flags = 0;
  const char* file = nullptr;
  const char* path = nullptr;
  check_hdf5(H5Lunpack_elink_val(value.data(), value.size(), &flags, &file, &path), link.path, "cannot be read",
             ErrorKind::data);
  return fmt::format("{}:{}", file, path);
}

struct NamedLink {
  std::string name;
  LinkKind kind;
  std::size_t length;
};

}  // namespace

std::string_view name_of(ObjectKind kind) {
  constexpr std::array<std::string_view, 3> kNames{"group", "dataset", "type"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(LinkKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"hard link", "soft link", "external link", "user-defined link"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string ObjectWalk::name_at(std::uint64_t address) const {
  const auto found = by_address.find(address);
  return found == by_address.end() ? std::string() : objects[found->second].path;
}

std::uint64_t address_of(hid_t object) {
  storage::ObjectInfo info;
  check_hdf5(storage::object_info(object, info), "", "an object has no address", ErrorKind::data);
  return info.address;
}

std::vector<FoundLink> links_of(hid_t group, const std::string& path) {
  std::vector<NamedLink> named;
  const auto visit = [](hid_t, const char* name, const storage::LinkInfo* info, void* data) -> herr_t {
    const std::size_t length = info->type == H5L_TYPE_HARD ? 0 : info->u.val_size;
    static_cast<std::vector<NamedLink>*>(data)->push_back({name, kind_of(info->type), length});
    return 0;
  };
  check_hdf5(storage::visit_links(group, H5_INDEX_NAME, H5_ITER_INC, visit, &named), path, "its links cannot be listed",
             ErrorKind::data);
  std::vector<FoundLink> links;
  for (const NamedLink& one : named) {
    FoundLink link{join(path, one.name), one.kind, {}, 0};
    link.target = target_of(group, one.name, link, one.length);
    links.push_back(std::move(link));
  }
  return links;
}

void leave_out(ObjectWalk& walk, const std::string& path) {
  const auto is_there = [&](const auto& one) { return one.path == path || one.path.starts_with(path + "/"); };
  std::erase_if(walk.objects, is_there);
  std::erase_if(walk.links, is_there);
  walk.by_address.clear();
  for (std::size_t i = 0; i < walk.objects.size(); ++i) walk.by_address[walk.objects[i].address] = i;
  // A second name of what is gone names nothing any more.
  std::erase_if(walk.links, [&](const FoundLink& link) {
    return link.kind == LinkKind::hard && !walk.by_address.contains(link.address);
  });
}

ObjectWalk walk_objects(hid_t file) {
  const storage::QuietHdf5 quiet;
  ObjectWalk walk;
  std::vector<FoundLink> open{{"/", LinkKind::hard, {}, 0}};
  while (!open.empty()) {
    FoundLink link = std::move(open.back());
    open.pop_back();
    try {
      if (link.kind == LinkKind::hard) {
        const Handle object(
            check_hdf5(H5Oopen(file, link.path.c_str(), H5P_DEFAULT), link.path, "cannot be opened", ErrorKind::data));
        link.address = address_of(object);
        const std::optional<ObjectKind> kind = kind_of(object);
        if (!kind) throw Error(ErrorKind::data, link.path, "is not a group, dataset or type");
        if (walk.by_address.try_emplace(link.address, walk.objects.size()).second) {
          walk.objects.push_back({link.path, *kind, link.address});
          if (*kind == ObjectKind::group) {
            const std::vector<FoundLink> links = links_of(object, link.path);
            open.insert(open.end(), links.rbegin(), links.rend());  // the first by name comes off first
          }
        }
      }
      if (link.path != "/") walk.links.push_back(std::move(link));
    } catch (const Error& error) {
      std::string what = error.what();
      const std::string place = link.path + ": ";
      if (what.starts_with(place)) what.erase(0, place.size());
      walk.problems.push_back({link.path, what});
    }
  }
  return walk;
}

}  // namespace weft::survey
