// bindings/communicator.cpp - the calls of a weft::Communicator, made in Python.
#include "bindings/communicator.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <exception>
#include <utility>

namespace nb = nanobind;

namespace weft::bindings {
namespace {

nb::object view_of(std::span<const std::byte> bytes) {
  // Python never writes to it.
  auto* data = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
  return nb::steal(PyMemoryView_FromMemory(data, static_cast<Py_ssize_t>(bytes.size()), PyBUF_READ));
}

nb::object view_of(std::span<std::byte> bytes) {
  return nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()),
                                           PyBUF_WRITE));
}

std::vector<std::byte> bytes_of(const nb::handle& object) {
  const nb::bytes bytes = nb::cast<nb::bytes>(object);
  const auto* data = static_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

class PythonCommunicator final : public Communicator {
 public:
  explicit PythonCommunicator(nb::object ranks)
      : ranks_(std::move(ranks)),
        rank_(nb::cast<int>(ranks_.attr("rank"))),
        size_(nb::cast<int>(ranks_.attr("size"))) {}
  PythonCommunicator(const PythonCommunicator&) = delete;
  PythonCommunicator& operator=(const PythonCommunicator&) = delete;
  ~PythonCommunicator() override {
    const nb::gil_scoped_acquire gil;
    ranks_.reset();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::uint64_t min(std::uint64_t value) override { return number("min", value); }
  std::uint64_t max(std::uint64_t value) override { return number("max", value); }
  std::uint64_t sum(std::uint64_t value) override { return number("sum", value); }
  std::uint64_t sum_before(std::uint64_t value) override { return number("sum_before", value); }

  void broadcast(std::vector<std::byte>& bytes, int root) override {
    in_python([&] {
      const nb::object mine =
          rank_ == root ? nb::object(nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size())) : nb::none();
      bytes = bytes_of(ranks_.attr("broadcast")(mine, root));
    });
  }

  std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) override {
    std::vector<std::vector<std::byte>> incoming;
    in_python([&] {
      nb::list sent;
      for (const auto& bytes : outgoing) {
        sent.append(nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      }
      for (const nb::handle received : ranks_.attr("all_to_all")(sent)) incoming.push_back(bytes_of(received));
    });
    return incoming;
  }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    in_python([&] {
      nb::list sent;
      for (const Outgoing& message : outgoing) sent.append(nb::make_tuple(message.peer, view_of(message.bytes)));
      nb::list received;
      for (const Incoming& message : incoming) received.append(nb::make_tuple(message.peer, view_of(message.bytes)));
      ranks_.attr("exchange")(sent, received);
    });
  }

 private:
  std::uint64_t number(const char* call, std::uint64_t value) {
    std::uint64_t result = 0;
    in_python([&] { result = nb::cast<std::uint64_t>(ranks_.attr(call)(value)); });
    return result;
  }

  // What Python raises becomes an Error, so that ranks agree on it as on any other.
  template <typename Action>
  void in_python(const Action& action) {
    const nb::gil_scoped_acquire gil;
    try {
      action();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& raised) {
      throw Error(ErrorKind::system, "mpi4py", raised.what());
    }
  }

  nb::object ranks_;
  int rank_;
  int size_;
};

}  // namespace

std::shared_ptr<Communicator> communicator_of(const nb::object& ranks) {
  if (ranks.is_none()) return std::make_shared<SelfCommunicator>();
  return std::make_shared<PythonCommunicator>(ranks);
}

}  // namespace weft::bindings
