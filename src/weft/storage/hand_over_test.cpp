#include "weft/storage/hand_over.hpp"

#include <gtest/gtest.h>

namespace weft::storage {
namespace {

// A file that is not there would be an error if it were opened.
TEST(HandOver, AGroupOfOneHasNobodyToHandItTo) {
  const SelfCommunicator alone;
  EXPECT_NO_THROW(hand_over(alone, "no/such/file"));
}

}  // namespace
}  // namespace weft::storage
