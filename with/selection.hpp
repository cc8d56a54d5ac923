// with/selection.hpp - what part of a dataset a call means.
#pragma once

#include <cstdint>
#include <optional>

#include "weft/support/shape.hpp"
#include "with/library.hpp"

namespace weft::with {

// The extents of a simple dataspace; nullopt for another kind of space.
std::optional<Shape> extents(Library& library, hid_t space);

struct Selection {
  enum class Kind : std::uint8_t { none, box, strided, points, other };
  Kind kind = Kind::other;
  std::uint64_t elements = 0;
  Box box;  // of kind box: the elements themselves; of the others, but none: what they lie in
};

// What is selected in `space`, whose extents are given. A box is told from what is regular and without gaps.
Selection selection_of(Library& library, hid_t space, const Shape& shape);

// What a call of H5Dread() or H5Dwrite() means by its space of the file, H5S_ALL among them.
Selection file_selection(Library& library, hid_t file_space, const Shape& shape);

// How a program reads or writes, by what one call takes of the dataset.
enum class Access : std::uint8_t { whole, snapshot, trace, block, element, points, strided, none };
const char* name_of(Access access);

// A snapshot is one index along the first axis; a trace is half of that axis or more, of at most a hundredth of the
// others; a dataset with one axis has blocks.
Access access_of(const Selection& selection, const Shape& shape);

}  // namespace weft::with
