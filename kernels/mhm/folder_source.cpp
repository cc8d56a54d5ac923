#include "kernels/mhm/folder_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "kernels/mhm/file_names.hpp"
#include "kernels/mhm/mhm_shape.hpp"
#include "kernels/mhm/triangle_lattice.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/support/cell_type.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::mhm {

namespace {

namespace fs = std::filesystem;

std::string problem_folder(const std::string& path, std::uint64_t problem) {
  return path + "/" + problem_folder_name(problem);
}

std::uint64_t steps_in(const std::string& folder) {
  std::uint64_t steps = 0;
  while (fs::exists(folder + "/" + solution_file_name(steps))) ++steps;
  return steps;
}

// "ccross 3" and so on, a line each.
std::map<std::string, std::uint64_t> read_parameters(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::uint64_t> parameters;
  std::string name;
  std::uint64_t number = 0;
  while (file >> name >> number) parameters[name] = number;
  return parameters;
}

class FolderSource final : public convert::StepSource {
 public:
  FolderSource(std::string path, std::span<const std::string> fields) : path_(std::move(path)) {
    read_shape();
    std::uint64_t steps = steps_in(problem_folder(path_, 0));
    is_shared_ = steps == 0;
    if (is_shared_) steps = steps_in(path_);
    if (steps == 0) throw nothing_written();
    for (std::uint64_t step = 0; step < steps; ++step) times_.push_back(static_cast<double>(step));

    const std::uint64_t points = problems_ * lattice_.points();
    const Shape shape{steps, points};
    view_.steps = steps;
    view::Block block;
    block.unstructured = view::Unstructured{
        .points = points, .cells = problems_ * lattice_.triangles(), .corners = 3 * problems_ * lattice_.triangles()};
    view::ViewField field;
    field.name = "solution";
    field.points = points;
    field.stretches = {{.dataset = "solution", .shape = shape, .box = whole(shape)}};
    block.fields.push_back(std::move(field));
    view_.blocks.push_back(std::move(block));
    choose(path_, fields, {});
  }

  std::uint64_t bridge_bytes() const override { return lattice_.points() * sizeof(double); }  // a file is read whole
  convert::ChunkShape chunk_of(const convert::FieldGroup&) const override { return {1, lattice_.points()}; }

 private:
  void read_shape() {
    const std::string file = problem_folder(path_, 0) + "/parameters.txt";
    const auto parameters = read_parameters(file);
    const auto number = [&](const char* name, std::uint64_t most) {
      const auto found = parameters.find(name);
      if (found != parameters.end() && found->second >= 1 && found->second <= most) return found->second;
      throw Error(ErrorKind::data, path_,
                  parameters.empty() ? "is a folder, and not one of weft run mhm (problem_00000/parameters.txt)"
                                     : fmt::format("problem_00000/parameters.txt has no usable value of {}", name),
                  "name a file, or a folder that mhm wrote");
    };
    constexpr std::uint64_t kMost = 1 << 20;
    problems_ = std::uint64_t{1} << (2 * number("ccross", 15));
    lattice_.refinement = number("sub_elements", kMost);
    dims_ = number("dims", std::numeric_limits<std::uint64_t>::max());
    if (lattice_.points() % dims_ != 0) {
      throw Error(ErrorKind::data, file,
                  fmt::format("{} dimensions do not divide {} values", dims_, lattice_.points()));
    }
  }

  Error nothing_written() const {
    if (!fs::exists(path_ + "/solution.h5")) {
      return {ErrorKind::data, path_, "no solution is written yet", "wait for the run's first phase"};
    }
    return {ErrorKind::usage, path_, "has its solutions in a file of Weft's", "convert that: solution.h5"};
  }

  // Elements [first, first + count) of an array that has `each` of them for a problem: make(problem) is a problem's.
  template <typename Make, typename T>
  static void copy_elements(std::uint64_t each, std::uint64_t first, std::span<T> to, const Make& make) {
    std::uint64_t done = 0;
    while (done < to.size()) {
      const std::uint64_t problem = (first + done) / each;
      const std::uint64_t within = (first + done) % each;
      const std::uint64_t count = std::min(each - within, to.size() - done);
      const std::vector<T> values = make(problem);
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(within), count,
                  to.begin() + static_cast<std::ptrdiff_t>(done));
      done += count;
    }
  }

  void read_parts(std::span<const Part> parts, std::span<std::byte> values) const override {
    std::size_t at = 0;
    for (const Part& part : parts) {
      for (std::uint64_t step = part.box.start[0]; step < part.box.start[0] + part.box.count[0]; ++step) {
        std::vector<double> rows(part.box.count[1]);
        copy_elements(lattice_.points(), part.box.start[1], std::span(rows),
                      [&](std::uint64_t problem) { return solution(problem, step); });
        const auto bytes = std::as_bytes(std::span(rows));
        std::copy(bytes.begin(), bytes.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
        at += bytes.size();
      }
    }
  }

  // A problem's values in the order of its lattice; its text has every `dims_`-th, one portion after the other.
  std::vector<double> solution(std::uint64_t problem, std::uint64_t step) const {
    const std::string path = (is_shared_ ? path_ : problem_folder(path_, problem)) + "/" + solution_file_name(step);
    const auto file = storage::open_store(path, storage::OpenMode::read);
    const std::uint64_t expected = kValueBytes * lattice_.points();
    const std::uint64_t region = is_shared_ ? file->size() / problems_ : file->size();
    if (is_shared_ ? region < expected : region != expected) {
      throw Error(
          ErrorKind::data, path,
          fmt::format("has {} bytes for a problem, whose {} values take {}", region, lattice_.points(), expected),
          "the run may not have ended");
    }
    std::vector<char> text(expected);
    file->read_at(is_shared_ ? problem * region : 0, std::as_writable_bytes(std::span(text)));
    std::vector<double> values(lattice_.points());
    const char* at = text.data();
    for (std::uint64_t dim = 0; dim < dims_; ++dim) {
      for (std::uint64_t value = dim; value < values.size(); value += dims_) {
        const char* const end = at + kValueBytes - 1;
        const char* const digits = std::find_if(at, end, [](char c) { return c != ' '; });
        const auto [behind, failure] = std::from_chars(digits, end, values[value]);
        if (failure != std::errc() || behind != end || *end != '\n') {
          throw Error(ErrorKind::data, path, fmt::format("'{}' is not a value", std::string(at, end)));
        }
        at += kValueBytes;
      }
    }
    return values;
  }

  Corners corners_of(std::uint64_t problem) const {
    const std::string path = problem_folder(path_, problem) + "/element.txt";
    std::ifstream file(path);
    Corners corners;
    for (Point& corner : corners) file >> corner.x >> corner.y;
    if (!file) throw Error(ErrorKind::data, path, "does not have the corners of a triangle");
    return corners;
  }

  void stored_mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const override {
    const view::Unstructured names;
    if (path == names.points_path) {
      copy_array<double>(offset, values, 3 * lattice_.points(), [&](std::uint64_t problem) {
        std::vector<double> places;
        for (const Point& place : lattice_.places(corners_of(problem))) {
          places.insert(places.end(), {place.x, place.y, 0});
        }
        return places;
      });
    } else if (path == names.connectivity_path) {
      copy_array<std::int64_t>(offset, values, 3 * lattice_.triangles(), [&](std::uint64_t problem) {
        std::vector<std::int64_t> corners;
        lattice_.visit_triangles([&](const std::array<std::uint64_t, 3>& triangle) {
          for (const std::uint64_t corner : triangle) {
            corners.push_back(static_cast<std::int64_t>(problem * lattice_.points() + corner));
          }
        });
        return corners;
      });
    } else if (path == names.types_path) {
      std::fill(values.begin(), values.end(), std::byte{cell_type::triangle});
    } else {  // offsets: one more than cells, so not by problems
      const std::uint64_t first = offset / sizeof(std::int64_t);
      for (std::uint64_t i = 0; i < values.size() / sizeof(std::int64_t); ++i) {
        const auto end = static_cast<std::int64_t>(3 * (first + i));
        std::memcpy(values.data() + i * sizeof(end), &end, sizeof(end));
      }
    }
  }

  template <typename T, typename Make>
  static void copy_array(std::uint64_t offset, std::span<std::byte> values, std::uint64_t each, const Make& make) {
    std::vector<T> elements(values.size() / sizeof(T));
    copy_elements(each, offset / sizeof(T), std::span(elements), make);
    std::memcpy(values.data(), elements.data(), values.size());
  }

  std::string path_;
  std::uint64_t problems_ = 0;
  std::uint64_t dims_ = 1;
  Lattice lattice_;
  bool is_shared_ = false;
};

}  // namespace

std::unique_ptr<convert::StepSource> open_folder(Communicator& comm, const std::string& path,
                                                 std::span<const std::string> fields) {
  std::unique_ptr<convert::StepSource> source;
  agree_on(comm, [&] { source = std::make_unique<FolderSource>(path, fields); });
  return source;
}

}  // namespace weft::kernels::mhm
