// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <traces/text/sass_opcode.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

struct Width {
  std::string_view modifier;
  std::uint8_t bytes;
};

constexpr std::array kWidths = {
    Width{"U8", 1}, Width{"S8", 1},  Width{"U16", 2}, Width{"S16", 2}, Width{"F16", 2},
    Width{"32", 4}, Width{"U32", 4}, Width{"S32", 4}, Width{"F32", 4}, Width{"F16x2", 4},
    Width{"64", 8}, Width{"U64", 8}, Width{"S64", 8}, Width{"F64", 8}, Width{"128", 16},
};

template <class Visit>
void for_each_modifier(std::string_view opcode, Visit visit) {
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const std::size_t end = opcode.find('.', dot + 1);
    visit(opcode.substr(dot + 1, end == std::string_view::npos ? end : end - dot - 1));
    dot = end;
  }
}

std::uint8_t width_of(std::string_view opcode) {
  std::uint8_t bytes = 4;
  for_each_modifier(opcode, [&](std::string_view modifier) {
    for (const Width& width : kWidths) {
      if (width.modifier == modifier) bytes = width.bytes;
    }
  });
  return bytes;
}

/// One of the opcodes that a row of kOperationTraits lists, taken apart.
struct OpcodeForm {
  std::string_view name;
  std::vector<std::string_view> modifiers;
  AddressSpace space;
  const OperationTraits* row;

  /// The places of the modifiers in `opcode`, added up; nothing when one is missing. Of an opcode
  /// that says a thing twice, the later word counts.
  std::optional<unsigned> places_in(std::string_view opcode) const {
    unsigned places = 0;
    for (const std::string_view wanted : modifiers) {
      unsigned place = 0;
      unsigned last_place = 0;
      for_each_modifier(opcode, [&](std::string_view modifier) {
        ++place;
        const bool is_wanted = wanted.ends_with('*')
                                   ? modifier.starts_with(wanted.substr(0, wanted.size() - 1))
                                   : modifier == wanted;
        if (is_wanted) last_place = place;
      });
      if (last_place == 0) return std::nullopt;
      places += last_place;
    }
    return places;
  }
};

void add_forms(std::vector<OpcodeForm>& forms, const OperationTraits& row, std::string_view opcodes,
               AddressSpace space) {
  for (std::string_view word = next_word(opcodes); !word.empty(); word = next_word(opcodes)) {
    OpcodeForm& form =
        forms.emplace_back(OpcodeForm{word.substr(0, word.find('.')), {}, space, &row});
    for_each_modifier(word, [&](std::string_view modifier) { form.modifiers.push_back(modifier); });
  }
}

/// All forms, those with most modifiers first.
std::vector<OpcodeForm> opcode_forms() {
  std::vector<OpcodeForm> forms;
  for (const OperationTraits& row : kOperationTraits) {
    add_forms(forms, row, row.shared_opcodes,
              row.address_lanes == 0 ? AddressSpace::barrier : AddressSpace::shared);
    add_forms(forms, row, row.generic_opcodes, AddressSpace::generic);
  }
  std::stable_sort(forms.begin(), forms.end(), [](const OpcodeForm& left, const OpcodeForm& right) {
    return left.modifiers.size() > right.modifiers.size();
  });
  return forms;
}

/// The only width an operation has, as matrices do; 0 when the opcode says.
std::uint8_t only_width(const OperationTraits& row) {
  return row.spellings[1].name.empty() ? row.spellings[0].bytes : std::uint8_t{0};
}

}  // namespace

SassOpcode parse_sass_opcode(std::string_view opcode) {
  static const std::vector<OpcodeForm> forms = opcode_forms();
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  const OpcodeForm* best = nullptr;
  unsigned best_places = 0;
  for (const OpcodeForm& form : forms) {
    if (form.name != name) continue;
    if (best != nullptr && form.modifiers.size() < best->modifiers.size()) break;
    const std::optional<unsigned> places = form.places_in(opcode);
    if (!places || (best != nullptr && *places <= best_places)) continue;
    best = &form;
    best_places = *places;
  }
  if (best == nullptr) return {};
  if (best->space == AddressSpace::barrier) return {best->space, best->row->operation, 0};
  const std::uint8_t width = only_width(*best->row);
  return {best->space, best->row->operation, width != 0 ? width : width_of(opcode)};
}

}  // namespace smem
