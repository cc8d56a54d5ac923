// weft/series/field_key.hpp - which field is put: by its name, or by a handle that was asked for once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace weft {

// A field of one writer, from SeriesWriter::field(). It is a number: copy it as you like. It means nothing to another
// writer.
class FieldHandle {
 public:
  std::size_t number() const { return number_; }

 private:
  friend class SeriesWriter;
  explicit FieldHandle(std::size_t number) : number_(number) {}
  std::size_t number_;
};

// What put() takes: "V", a std::string, or a FieldHandle. A name is looked up among the fields at every call.
class FieldKey {
 public:
  FieldKey(const char* name) : name_(name) {}               // NOLINT(google-explicit-constructor): put("V", ..)
  FieldKey(std::string_view name) : name_(name) {}          // NOLINT(google-explicit-constructor)
  FieldKey(const std::string& name) : name_(name) {}        // NOLINT(google-explicit-constructor)
  FieldKey(FieldHandle field) : number_(field.number()) {}  // NOLINT(google-explicit-constructor)

  bool is_handle() const { return number_ != kNone; }
  std::size_t number() const { return number_; }   // of a handle
  std::string_view name() const { return name_; }  // of a name

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::string_view name_;
  std::size_t number_ = kNone;
};

}  // namespace weft

#pragma GCC visibility pop
