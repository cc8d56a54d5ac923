// weft/view/xml_text.hpp - text in XML.
#pragma once

#include <string>
#include <string_view>

namespace weft::view {

// As it may stand between tags, and between the quotes of an attribute.
std::string escaped_xml(std::string_view text);

}  // namespace weft::view
