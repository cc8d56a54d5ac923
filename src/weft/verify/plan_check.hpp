// weft/verify/plan_check.hpp - whether a file has the objects of a plan (storage/object_plan.hpp), as the plan has
// them.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "weft/storage/object_plan.hpp"

namespace weft::verify {

// One line for each object that is missing or other than planned: "/VTKHDF/PointData/V shows ...". Values of arrays are
// compared too; other objects the file may have as it likes. Not collective.
std::vector<std::string> departures(hid_t file, const storage::ObjectPlan& plan);

// The dataset at a path is virtual and shows just this; "" where it does.
std::string departure_of(hid_t file, const storage::VirtualObject& object);

}  // namespace weft::verify
