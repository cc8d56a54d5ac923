// bindings/bindings.hpp - the parts of the extension weft._core, each in a file of its own.
//
// The extension is thin: names, types and arrays. What people call is in python/weft, which says shapes, units and
// errors, and turns what it is given into what these functions take.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/support/shape.hpp"

namespace weft::bindings {

// What results are handed over as; python/weft makes dataclasses of them.
using Described = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;
using Extents = nanobind::typed<nanobind::tuple, std::uint64_t, nanobind::ellipsis>;

// A shape as Python has it.
inline Extents tuple_of(const Shape& shape) {
  nanobind::list list;
  for (const std::uint64_t extent : shape) list.append(extent);
  return nanobind::tuple(list);
}

// weft.DataError, and what an Error of each kind becomes.
void bind_errors(nanobind::module_& module);
// Electrocardiograms.
void bind_ecg(nanobind::module_& module);
// Layout, reduce, repack, import, inspect, verify, view, convert, references.
void bind_functions(nanobind::module_& module);
// Quantities over time that Python makes.
void bind_quantity(nanobind::module_& module);
// weft::SeriesWriter, and what a series is made of.
void bind_writing(nanobind::module_& module);
// weft::SeriesReader and weft::SnapshotSweep.
void bind_reading(nanobind::module_& module);

}  // namespace weft::bindings
