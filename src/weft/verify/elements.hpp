// weft/verify/elements.hpp - elements of any HDF5 type in memory: whether two are the same, and what one is in words.
//
// Numbers are the same where their bits are (a NaN is itself; 0 and -0 differ), lists where their lengths and elements
// are, references where what they point at has the same name in either file. Not collective.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/survey/object_walk.hpp"

namespace weft::verify {

// What the references of a file point at. The walk must outlive it, and the file stay open.
class ReferenceNames {
 public:
  ReferenceNames(hid_t file, const survey::ObjectWalk& walk) : file_(file), walk_(walk) {}
  // "/V" for a reference to an object, "/V [0:3, 5]" for one to a region, "nothing" for one that was never set, and
  // "(gone)" where it leads nowhere.
  std::string of(H5R_type_t kind, const std::byte* reference) const;

 private:
  std::string find(H5R_type_t kind, const std::byte* reference) const;

  hid_t file_;
  const survey::ObjectWalk& walk_;
  mutable std::map<std::string, std::string> known_;  // by the reference's bytes
};

class ElementType {
 public:
  // The type elements have in memory: the file's own, without padding between the members of compounds.
  static storage::Handle in_memory(hid_t file_type);

  explicit ElementType(hid_t memory_type);

  std::size_t bytes() const { return bytes_; }
  // Whether two elements are the same where their bytes are.
  bool plain() const { return plain_; }

  bool same(const std::byte* left, const ReferenceNames& left_names, const std::byte* right,
            const ReferenceNames& right_names) const;
  // "-84.25", "'mV'", "{1, 2}", "/V"; shortened where it is long.
  std::string text(const std::byte* element, const ReferenceNames& names) const;

 private:
  std::string words(const std::byte* element, const ReferenceNames& names) const;
  std::string number(const std::byte* element) const;

  storage::Handle type_;
  H5T_class_t class_;
  std::size_t bytes_;
  bool plain_ = true;
  bool variable_text_ = false;
  H5R_type_t reference_ = H5R_OBJECT;
  std::vector<ElementType> parts_;    // members of a compound; what an array or list is made of
  std::vector<std::size_t> offsets_;  // of the members
  std::size_t count_ = 1;             // elements of an array
};

}  // namespace weft::verify
