// weft/survey/object_walk.hpp - every object and link of an HDF5 file, whoever wrote it, damaged or not.
//
// Hard links are followed, each object once; soft and external ones are listed with where they point. What cannot be
// opened is told and passed by, so that one damaged object does not hide the others. Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft::survey {

enum class ObjectKind : std::uint8_t { group, dataset, type };
enum class LinkKind : std::uint8_t { hard, soft, external, other };

std::string_view name_of(ObjectKind kind);
std::string_view name_of(LinkKind kind);

struct FoundObject {
  std::string path;  // the first of its names, depth first and by name; "/" is the root group
  ObjectKind kind = ObjectKind::group;
  std::uint64_t address = 0;
};

struct FoundLink {
  std::string path;
  LinkKind kind = LinkKind::hard;
  std::string target;         // soft: the path; external: FILE:PATH
  std::uint64_t address = 0;  // hard: of the object
};

struct Problem {
  std::string path;
  std::string what;
};

struct ObjectWalk {
  std::vector<FoundObject> objects;
  std::vector<FoundLink> links;
  std::vector<Problem> problems;
  std::map<std::uint64_t, std::size_t> by_address;  // into objects

  // The first name of the object at this address; "" where no link leads to it.
  std::string name_at(std::uint64_t address) const;
};

// An open object's address, which tells it from all others of its file.
std::uint64_t address_of(hid_t object);

// The links of an open group by name, without their addresses. Throws Error(data) where they cannot be listed.
std::vector<FoundLink> links_of(hid_t group, const std::string& path);

// Takes the object at `path` and all below it out of a walk.
void leave_out(ObjectWalk& walk, const std::string& path);

// Walks an open file.
ObjectWalk walk_objects(hid_t file);

}  // namespace weft::survey
