// weft/repack/chunk_message.hpp - encoded chunks on their way to the rank that writes them, as one message.
//
// Of each chunk: the filters that were skipped and the number of its bytes (two 64-bit integers), its origin (one for
// each axis), its bytes. Ranks of one run have the same byte order.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "weft/repack/chunk_sink.hpp"

namespace weft::repack {

std::vector<std::byte> packed(const std::vector<ReadyChunk>& chunks);

// Calls use(chunk) for every chunk of the message, in its order; `axes` is the rank of the dataset.
void unpack(std::span<const std::byte> message, std::size_t axes, const std::function<void(const ReadyChunk&)>& use);

}  // namespace weft::repack
