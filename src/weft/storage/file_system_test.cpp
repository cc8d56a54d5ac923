#include "weft/storage/file_system.hpp"

#include <gtest/gtest.h>
#include <linux/magic.h>

#include <cstdlib>

namespace weft::storage {
namespace {

constexpr std::string_view kMounts =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
    "30 22 0:26 / /scratch rw,noatime - lustre 10.0.0.1@tcp:/scratch rw,flock,lazystatfs\n"
    "31 22 0:27 / /projects rw - lustre 10.0.0.1@tcp:/projects rw,localflock\n"
    "32 22 0:28 / /home rw - nfs4 srv:/home rw,vers=4.2,local_lock=none\n"
    "33 22 0:29 / /home/old rw - nfs srv:/old rw,vers=3,nolock\n"
    "34 22 0:30 / /mnt/with\\040space rw - fuse.glusterfs glu:/v rw\n"
    "35 22 0:31 / /tmp/a rw - tmpfs tmpfs rw\n"
    "36 22 0:32 / /tmp/a rw - 9p share rw,cache=loose\n";

TEST(FileSystem, IsThatOfTheLongestMountAboveThePath) {
  EXPECT_EQ(find_mount(kMounts, "/scratch/run/a.h5").type, "lustre");
  EXPECT_EQ(find_mount(kMounts, "/scratchy/a.h5").type, "ext4");
  EXPECT_EQ(find_mount(kMounts, "/home/me/a.h5").type, "nfs4");
  EXPECT_EQ(find_mount(kMounts, "/home/old/a.h5").type, "nfs");
  EXPECT_EQ(find_mount(kMounts, "/mnt/with space/a.h5").type, "fuse.glusterfs");
  EXPECT_EQ(find_mount(kMounts, "/tmp/a/b").type, "9p") << "the later mount hides the earlier";
  EXPECT_EQ(find_mount("", "/a").type, "");
}

TEST(FileSystem, PromisesWhatItsKindAndOptionsPromise) {
  FileSystem local = find_mount(kMounts, "/a");
  local.number = EXT4_SUPER_MAGIC;
  EXPECT_TRUE(local.one_machine() && local.locks_reach_all());
  EXPECT_TRUE(find_mount(kMounts, "/scratch/a").locks_reach_all());
  EXPECT_FALSE(find_mount(kMounts, "/scratch/a").one_machine());
  EXPECT_FALSE(find_mount(kMounts, "/projects/a").locks_reach_all()) << "localflock is one machine's";
  EXPECT_TRUE(find_mount(kMounts, "/home/a").locks_reach_all());
  EXPECT_FALSE(find_mount(kMounts, "/home/old/a").locks_reach_all());
  const FileSystem unknown = find_mount("", "/a");
  EXPECT_FALSE(unknown.one_machine() || unknown.locks_reach_all());
}

TEST(FileSystem, ManyMachinesWriteIntoOneFileWhereThatIsKnownToGoWell) {
  EXPECT_EQ(find_mount(kMounts, "/scratch/a").sharing(), Sharing::plainly);
  EXPECT_EQ(find_mount(kMounts, "/mnt/with space/a").sharing(), Sharing::plainly);
  EXPECT_EQ(find_mount(kMounts, "/home/a").sharing(), Sharing::past_the_cache);
  EXPECT_EQ(find_mount(kMounts, "/home/old/a").sharing(), Sharing::past_the_cache);
  const FileSystem ninep = find_mount(kMounts, "/tmp/a/b");
  EXPECT_EQ(ninep.sharing(), Sharing::never);
  EXPECT_EQ(find_mount("", "/a").sharing(), Sharing::never);
  ::setenv("WEFT_SHARED_FILE_SYSTEMS", "panfs,9p", 1);
  EXPECT_EQ(ninep.sharing(), Sharing::plainly);
  ::unsetenv("WEFT_SHARED_FILE_SYSTEMS");
}

TEST(FileSystem, DisksAreOfOneMachineAndServersAreNot) {
  EXPECT_TRUE(is_of_one_machine(EXT4_SUPER_MAGIC));
  EXPECT_TRUE(is_of_one_machine(TMPFS_MAGIC));
  EXPECT_FALSE(is_of_one_machine(NFS_SUPER_MAGIC));
  EXPECT_FALSE(is_of_one_machine(FUSE_SUPER_MAGIC));  // GlusterFS and CephFS are mounted so
  EXPECT_FALSE(is_of_one_machine(CEPH_SUPER_MAGIC));
  EXPECT_FALSE(is_of_one_machine(0x0BD00BD0));  // Lustre
}

TEST(FileSystem, DirectWritesAreKnownToBeQuickerOnSome) {
  EXPECT_EQ((FileSystem{0xEF53, "ext4", ""}.direct_gain()), DirectGain::large_series);
  EXPECT_EQ((FileSystem{0x58465342, "xfs", ""}.direct_gain()), DirectGain::large_series);
  EXPECT_EQ((FileSystem{0x65735546, "fuse.glusterfs", ""}.direct_gain()), DirectGain::large_requests);
  EXPECT_EQ((FileSystem{0x65735546, "fuse.sshfs", ""}.direct_gain()), DirectGain::none);
  EXPECT_EQ((FileSystem{0x0BD00BD0, "lustre", ""}.direct_gain()), DirectGain::none);
  EXPECT_EQ((FileSystem{0x01021994, "tmpfs", ""}.direct_gain()), DirectGain::none);
}

TEST(FileSystem, OfAFileThatIsNotThereIsThatOfItsFolder) {
  EXPECT_EQ(file_system_of("not-there.h5").type, file_system_of(".").type);
}

TEST(FileSystemAlignment, IsAPageWhereMachinesLockOrCacheByPage) {
  for (const char* type : {"lustre", "gpfs", "nfs", "nfs4"})
    EXPECT_EQ((FileSystem{0, type, ""}.alignment()), 4096U) << type;
  for (const char* type : {"ext4", "fuse.glusterfs", "ceph", ""})
    EXPECT_EQ((FileSystem{0, type, ""}.alignment()), 0U) << type;
}

}  // namespace
}  // namespace weft::storage
