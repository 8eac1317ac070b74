// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <clock/cycle.hpp>

namespace smem::clock {

/// When an access passed each stage, in the cycles of who says so. What lies between two stamps is
/// in stalls.hpp. A further stamp is a member here, its row in kStampFields, and where it is taken.
struct AccessStamps {
  Cycle able_cycle = 0;       ///< its warp had nothing earlier to issue
  Cycle ready_cycle = 0;      ///< and its address was there
  Cycle room_cycle = 0;       ///< when its sub-partition's queue last got room after it was full
  Cycle issue_cycle = 0;      ///< left the warp
  Cycle path_free_cycle = 0;  ///< when the access before it had entered the SM's queue
  Cycle transfer_cycle = 0;   ///< its registers began to move
  Cycle moved_cycle = 0;      ///< all registers had arrived
  Cycle queue_cycle = 0;      ///< entered the SM's queue
  Cycle own_service_end_cycle = 0;  ///< when the warp's access before it left the data stage
  Cycle service_cycle = 0;          ///< entered the data stage
  Cycle first_wavefront_cycle = 0;
  Cycle last_wavefront_cycle = 0;
  Cycle return_cycle = 0;  ///< loads: its registers began to occupy the return path
  Cycle finish_cycle = 0;  ///< value usable (loads), last wavefront done (stores)

  /// Whether an access has finished: one of no access is all zero.
  [[nodiscard]] constexpr bool any() const { return finish_cycle != 0; }

  /// Makes these the stamps of several accesses, of which `later` finished last: the first issue,
  /// the last of everything else.
  constexpr void merge(const AccessStamps& later) {
    const Cycle first_issue_cycle = any() ? issue_cycle : later.issue_cycle;
    *this = later;
    issue_cycle = first_issue_cycle;
  }

  friend constexpr bool operator==(const AccessStamps&, const AccessStamps&) = default;
};

/// A stamp, and whether `run --per-access` prints it.
struct StampField {
  std::string_view name;
  Cycle AccessStamps::*member;
  bool is_printed;
};

inline constexpr std::array kStampFields = {
    StampField{"able_cycle", &AccessStamps::able_cycle, false},
    StampField{"ready_cycle", &AccessStamps::ready_cycle, false},
    StampField{"room_cycle", &AccessStamps::room_cycle, false},
    StampField{"issue_cycle", &AccessStamps::issue_cycle, true},
    StampField{"path_free_cycle", &AccessStamps::path_free_cycle, false},
    StampField{"transfer_cycle", &AccessStamps::transfer_cycle, false},
    StampField{"moved_cycle", &AccessStamps::moved_cycle, false},
    StampField{"queue_cycle", &AccessStamps::queue_cycle, true},
    StampField{"own_service_end_cycle", &AccessStamps::own_service_end_cycle, false},
    StampField{"service_cycle", &AccessStamps::service_cycle, true},
    StampField{"first_wavefront_cycle", &AccessStamps::first_wavefront_cycle, true},
    StampField{"last_wavefront_cycle", &AccessStamps::last_wavefront_cycle, true},
    StampField{"return_cycle", &AccessStamps::return_cycle, false},
    StampField{"finish_cycle", &AccessStamps::finish_cycle, true},
};
static_assert(sizeof(AccessStamps) == kStampFields.size() * sizeof(Cycle), "a row a stamp");

/// When a warp reached a barrier, and went on behind it.
struct BarrierStamps {
  Cycle arrival_cycle = 0;
  Cycle passed_cycle = 0;
};

}  // namespace smem::clock
