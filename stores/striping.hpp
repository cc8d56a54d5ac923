// stores/striping.hpp - how a file system spreads a file over its servers, as far as it tells.
#pragma once

#include <string>

#include "stores/store_profile.hpp"

namespace weft::stores {

// Of a file that exists: from Lustre's and CephFS' extended attributes. All 0 where the file system does not tell.
// Sources: lustre_user.h, "lov_user_md_v1"; https://docs.ceph.com/en/latest/cephfs/file-layouts/. Not collective.
Striping striping_of(const std::string& path);

// Of the attribute's bytes, by its name. Pure.
Striping striping_in(const std::string& attribute, std::string_view bytes);

}  // namespace weft::stores
