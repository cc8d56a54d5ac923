#include "weft/storage/hand_over.hpp"

#include <gtest/gtest.h>
#include <linux/magic.h>

namespace weft::storage {
namespace {

TEST(HandOver, DisksAreOfOneMachineAndServersAreNot) {
  EXPECT_TRUE(is_of_one_machine(EXT4_SUPER_MAGIC));
  EXPECT_TRUE(is_of_one_machine(TMPFS_MAGIC));
  EXPECT_FALSE(is_of_one_machine(NFS_SUPER_MAGIC));
  EXPECT_FALSE(is_of_one_machine(FUSE_SUPER_MAGIC));  // GlusterFS and CephFS are mounted so
  EXPECT_FALSE(is_of_one_machine(CEPH_SUPER_MAGIC));
  EXPECT_FALSE(is_of_one_machine(0x0BD00BD0));  // Lustre
}

// A file that is not there would be an error if it were opened.
TEST(HandOver, AGroupOfOneHasNobodyToHandItTo) {
  const SelfCommunicator alone;
  EXPECT_NO_THROW(hand_over(alone, "no/such/file"));
}

}  // namespace
}  // namespace weft::storage
