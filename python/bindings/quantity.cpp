// bindings/quantity.cpp - a quantity over time that functions of Python make, for many nodes at each call.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "weft/reduce/running_quantity.hpp"
#include "weft/support/error.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

using Matrix = nb::ndarray<nb::numpy, double>;
using Answer = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// An array of Python's own: what a function keeps of it stays right.
Matrix matrix(std::size_t rows, std::size_t columns, const auto& value_at) {
  auto* const values = new std::vector<double>(rows * columns);
  nb::capsule owner(values, [](void* kept) noexcept { delete static_cast<std::vector<double>*>(kept); });
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) (*values)[row * columns + column] = value_at(row, column);
  }
  return {values->data(), {rows, columns}, owner};
}

// "ValueError: no such thing (heart.py:12)"
std::string line_of(const nb::python_error& error) {
  nb::object at = nb::borrow(error.traceback());
  std::string where;
  while (at.is_valid() && !at.is_none()) {
    where =
        nb::str("{}:{}").format(at.attr("tb_frame").attr("f_code").attr("co_filename"), at.attr("tb_lineno")).c_str();
    at = at.attr("tb_next");
  }
  return nb::str("{}: {} ({})").format(error.type().attr("__name__"), error.value(), where).c_str();
}

class PythonQuantity final : public reduce::RunningQuantity {
 public:
  PythonQuantity(std::string name, std::string units, std::vector<double> start, nb::object update, nb::object result)
      : name_(std::move(name)),
        units_(std::move(units)),
        start_(std::move(start)),
        update_(std::move(update)),
        result_(std::move(result)) {}
  ~PythonQuantity() override {
    const nb::gil_scoped_acquire gil;
    update_.reset();
    result_.reset();
  }
  PythonQuantity(const PythonQuantity&) = delete;
  PythonQuantity& operator=(const PythonQuantity&) = delete;

  std::string name() const override { return name_; }
  std::string units(const std::string&, const std::string&) const override { return units_; }
  std::size_t state_size() const override { return start_.size(); }
  void begin(std::span<double> state) const override { std::copy(start_.begin(), start_.end(), state.begin()); }
  void see(std::span<double> state, const reduce::Samples& samples) const override {
    see_nodes(state, {samples.v, 1, 1, samples.t, samples.first_new});
  }
  bool sees_many() const override { return true; }
  void see_nodes(std::span<double> states, const reduce::SamplesOfNodes& samples) const override {
    asked([&] {
      const Matrix state =
          matrix(start_.size(), samples.nodes, [&](auto s, auto node) { return states[node * start_.size() + s]; });
      const Matrix values = matrix(samples.t.size(), samples.nodes,
                                   [&](auto s, auto node) { return samples.v[s * samples.pitch + node]; });
      const nb::object times = matrix(1, samples.t.size(), [&](auto, auto s) { return samples.t[s]; }).cast()[0];
      const nb::object answer = update_(state, values, times, samples.first_new);
      keep(answer.is_none() ? nb::cast(state) : answer, samples.nodes, states);
    });
  }
  double result(std::span<const double> state) const override {
    if (result_.is_none()) return state[0];
    double value = 0;
    asked([&] {
      const nb::object answer = result_(matrix(state.size(), 1, [&](auto s, auto) { return state[s]; }));
      value = nb::cast<double>(answer.attr("__array__")("float64").attr("item")());
    });
    return value;
  }

 private:
  // What Python raises goes the way of Weft's own errors: through all ranks.
  void asked(const auto& ask) const {
    const nb::gil_scoped_acquire gil;
    try {
      ask();
    } catch (nb::python_error& error) {
      throw Error(ErrorKind::usage, "quantity " + name_, "its function failed: " + line_of(error));
    } catch (const nb::cast_error&) {
      throw Error(ErrorKind::usage, "quantity " + name_, "its function returned no array of float64");
    }
  }

  void keep(const nb::object& answer, std::size_t nodes, std::span<double> states) const {
    const auto state = nb::cast<Answer>(answer);
    if (state.ndim() != 2 || state.shape(0) != start_.size() || state.shape(1) != nodes) {
      throw Error(ErrorKind::usage, "quantity " + name_,
                  "its update returned a state of another shape than it was given");
    }
    for (std::size_t s = 0; s < start_.size(); ++s) {
      for (std::size_t node = 0; node < nodes; ++node) {
        states[node * start_.size() + s] = state.data()[s * nodes + node];
      }
    }
  }

  std::string name_;
  std::string units_;
  std::vector<double> start_;
  nb::object update_;
  nb::object result_;
};

}  // namespace

void bind_quantity(nb::module_& module) {
  nb::class_<reduce::RunningQuantity>(module, "RunningQuantity", "weft::reduce::RunningQuantity.");
  module.def(
      "quantity",
      [](const std::string& name, const std::string& units, const std::vector<double>& start, const nb::object& update,
         const nb::object& result) -> std::shared_ptr<reduce::RunningQuantity> {
        return std::make_shared<PythonQuantity>(name, units, start, update, result);
      },
      nb::arg("name"), nb::arg("units"), nb::arg("start"), nb::arg("update"), nb::arg("result").none());
}

}  // namespace weft::bindings
