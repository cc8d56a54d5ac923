#include "weft/layout/design.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "weft/layout/chunk_search.hpp"
#include "weft/layout/isotropic.hpp"
#include "weft/support/error.hpp"

namespace weft::layout {

namespace {

void check_access_cost(const AccessCost& access) {
  // The bridge is latency * bandwidth bytes: it has to fit an integer.
  const bool usable = std::isfinite(access.latency_s) && access.latency_s >= 0 && std::isfinite(access.bandwidth) &&
                      access.bandwidth > 0 && access.latency_s * access.bandwidth < 0x1p62 &&
                      access.max_request_bytes > 0;
  if (!usable) {
    throw Error(ErrorKind::usage, fmt::format("store of {} s and {} B/s", access.latency_s, access.bandwidth),
                "cannot be used", "give a latency of 0 or more and a bandwidth above 0, as in 1ms and 1GB/s");
  }
}

void check_coding(const std::optional<Coding>& coding) {
  if (!coding) return;
  const bool usable = std::isfinite(coding->stored_share) && coding->stored_share >= 0 &&
                      std::isfinite(coding->decode_bandwidth) && coding->decode_bandwidth > 0;
  if (!usable) {
    throw Error(ErrorKind::usage,
                fmt::format("chunks stored in {} of their bytes, decoded at {} B/s", coding->stored_share,
                            coding->decode_bandwidth),
                "cannot be priced", "give a share of 0 or more and a bandwidth above 0");
  }
}

// The request with its axes and reads filled in and every input checked.
DesignRequest completed(DesignRequest request) {
  // Refuses bad extents and a dataset beyond 63 bits before anything is computed from them.
  const ChunkGrid elementwise(request.shape, Shape(request.shape.size(), 1), request.element_bytes);
  check_access_cost(request.access);
  check_coding(request.coding);
  if (request.axes.empty()) request.axes = default_axes(request.shape.size());
  check_axes(request.axes, request.shape.size());
  if (request.reads.empty()) {
    request.reads = parse_reads(request.read_text, request.shape, request.axes, request.ranks);
  }
  for (const NamedRead& read : request.reads) {
    if (!std::isfinite(read.weight) || read.weight <= 0) {
      throw Error(ErrorKind::usage, fmt::format("read '{}'", read.name), "the weight is not a number above zero",
                  "give it one, such as 1");
    }
    if (predict(elementwise, read.box, request.access).asked_bytes == 0) {
      throw Error(ErrorKind::usage, fmt::format("read '{}'", read.name), "the box is empty", "leave it out");
    }
  }
  return request;
}

Design reported(DesignRequest request, Shape chunk, bool chunk_given) {
  ChunkGrid grid(request.shape, chunk, request.element_bytes);
  std::vector<PredictedRead> reads;
  for (const NamedRead& read : request.reads) {
    reads.push_back({read, predict(grid, read.box, request.access, request.coding)});
  }
  return {std::move(request), chunk_given, std::move(chunk), std::move(grid), std::move(reads)};
}

}  // namespace

std::string_view name_of(Algorithm algorithm) { return algorithm == Algorithm::reads ? "reads" : "isotropic"; }

Algorithm parse_algorithm(std::string_view text) {
  for (const Algorithm algorithm : {Algorithm::reads, Algorithm::isotropic}) {
    if (text == name_of(algorithm)) return algorithm;
  }
  throw Error(ErrorKind::usage, fmt::format("algorithm '{}'", text), "is not known", "use reads or isotropic");
}

bool Design::aligned() const { return request.align_bytes > 0 && grid.chunk_bytes() % request.align_bytes == 0; }

Design design(const DesignRequest& request) {
  DesignRequest full = completed(request);
  if (full.align_bytes > full.target_bytes) {
    throw Error(ErrorKind::usage, fmt::format("alignment of {} bytes", full.align_bytes),
                fmt::format("is above the target of {} bytes", full.target_bytes), "raise the target or lower it");
  }
  // Also refuses a target below one element, for both.
  Shape chunk = isotropic_chunk(full.shape, full.element_bytes, full.target_bytes);
  if (full.algorithm == Algorithm::reads) chunk = chunk_for_reads(full);
  return reported(std::move(full), std::move(chunk), false);
}

Design describe(const DesignRequest& request, const Shape& chunk) { return reported(completed(request), chunk, true); }

nlohmann::json to_json(const Design& design) {
  const DesignRequest& request = design.request;
  nlohmann::json reads = nlohmann::json::object();
  for (const auto& [read, cost] : design.reads) {
    reads[read.name] = {{"weight", read.weight},         {"asked_bytes", cost.asked_bytes},
                        {"chunks", cost.chunks},         {"requests", cost.requests},
                        {"bytes", cost.bytes},           {"amplification", cost.amplification()},
                        {"hdf5_bytes", cost.hdf5_bytes}, {"seconds", cost.seconds(request.access)}};
  }
  nlohmann::json all = {{"shape", request.shape},
                        {"element_bytes", request.element_bytes},
                        {"axes", axis_names(request.axes)},
                        {"algorithm", design.chunk_given ? "given" : name_of(request.algorithm)},
                        {"target_bytes", request.target_bytes},
                        {"align_bytes", request.align_bytes},
                        {"chunk", design.chunk},
                        {"chunks", design.grid.chunks()},
                        {"chunk_bytes", design.grid.chunk_bytes()},
                        {"waste", design.grid.waste()},
                        {"store", {{"latency_s", request.access.latency_s}, {"bandwidth", request.access.bandwidth}}},
                        {"reads", std::move(reads)}};
  if (request.coding) {
    all["coding"] = {{"stored_share", request.coding->stored_share},
                     {"decode_bandwidth", request.coding->decode_bandwidth}};
  }
  return all;
}

}  // namespace weft::layout
