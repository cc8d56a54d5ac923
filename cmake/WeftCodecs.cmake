# The libraries that do and undo the chunks' filters: PkgConfig::WEFT_DEFLATE (libdeflate), WEFT_ISAL, WEFT_ZSTD and
# WEFT_LZF.
# Used by Weft's own build and, installed beside it, by weft-config.cmake.
find_package(PkgConfig REQUIRED)
pkg_check_modules(WEFT_DEFLATE REQUIRED IMPORTED_TARGET GLOBAL libdeflate)
pkg_check_modules(WEFT_ISAL REQUIRED IMPORTED_TARGET GLOBAL libisal)
pkg_check_modules(WEFT_ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)
pkg_check_modules(WEFT_LZF REQUIRED IMPORTED_TARGET GLOBAL liblzf)
