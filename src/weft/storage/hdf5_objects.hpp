// weft/storage/hdf5_objects.hpp - the HDF5 objects a Weft file is made of: datasets, attributes, dimension scales.
//
// A thin layer: every function is one thing done to an open file, its failures turned into weft::Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/series_file.hpp"

namespace weft::storage {

// File access as Weft wants it: objects on multiples of 8 so that a commit slot never straddles a page, closing
// strictly, and what Weft makes in the encodings of HDF5 1.8, which all readers know, and of 1.10 where it needs those
// (virtual datasets); VTK's own HDF5 cannot read newer ones. `newest` is the newest encoding that may be met: what
// others made of newer ones, in a file that is changed or copied, stays as it is (H5F_LIBVER_LATEST); a file of Weft's
// own has none. `oldest` is V110 for what is added to files of format 1.
Handle file_access(H5F_libver_t newest = H5F_LIBVER_V110, H5F_libver_t oldest = H5F_LIBVER_V18);

// Datasets of fixed extent, space allocated at once, never filled.
// A dataspace of fixed extent; extents as HDF5 takes them.
std::vector<hsize_t> to_hsize(const Shape& shape);
Handle simple_space(const Shape& shape);
// Groups on the way to a path are made as needed: these properties of a link say so.
Handle with_groups_on_the_way();
Handle create_dataset(hid_t file, const std::string& path, hid_t type, hid_t space, hid_t properties);
Handle create_chunked(hid_t file, const std::string& path, DataType type, const Shape& shape, const Shape& chunk);
Handle create_contiguous(hid_t file, const std::string& path, DataType type, const Shape& shape);
// Commit slots, with their values.
void create_slots(hid_t file, const std::string& path, const std::vector<std::uint64_t>& values);

// The first extent of a dataset; Error(data) where it is missing.
std::uint64_t dataset_length(hid_t file, const std::string& path);

// Where a dataset lies. Throws Error(data) where it is missing, of a type Weft has not, without space in the file, or
// with more than the file can hold. The addresses are unknown where it has filters; and in a file open for writing
// where another tool rewrote it, and HDF5 is one before 1.12.3 (storage/chunk_list.hpp).
ArrayEntry array_entry(hid_t file, const std::string& path);
// The same without the addresses, which nobody looks for.
ArrayEntry array_without_addresses(hid_t file, const std::string& path);
// Whether the file is open for writing: what it holds on the disk may then be older.
bool open_for_writing(hid_t file);

void write_attribute(hid_t object, const std::string& name, const AttributeValue& value);
// All attributes but those of dimension scales, from one dataset to another of the same file.
void copy_attributes(hid_t file, const std::string& from, const std::string& to);
// 0 and "" where the attribute is missing.
std::int64_t read_integer(hid_t object, const std::string& name);
std::string read_text(hid_t object, const std::string& name);
// Text of any kind, of fixed or variable length, alone or a list, without the padding at its ends; empty where the
// attribute is missing or no text.
std::vector<std::string> read_texts(hid_t object, const std::string& name);
// Empty where the attribute is missing.
std::vector<double> read_numbers(hid_t object, const std::string& name);
std::vector<std::int64_t> read_integers(hid_t object, const std::string& name);

// All attributes of an object that are texts or numbers: of several axes one row after the other, integers above
// 2^63 - 1 as that; without those by which dimension scales are known.
Attributes read_attributes(hid_t object);

// A list of names as one attribute, newline after each: it stays one readable string in h5dump.
void write_names(hid_t object, const std::string& attribute, const std::vector<std::string>& names);
std::vector<std::string> read_names(hid_t object, const std::string& attribute);

void make_scale(hid_t dataset, const std::string& name);
void attach_scale(hid_t dataset, hid_t scale, unsigned axis, const std::string& label);

}  // namespace weft::storage
