// SPDX-License-Identifier: Apache-2.0
// One warp instruction on shared memory per struct: its access-list spelling, its width, and PTX
// that the compiler can neither drop, hoist nor merge. What each becomes in machine code is listed
// by `make sass`.
#pragma once

#include <cstdint>
#include <tuple>

namespace smem::bench {

/// What one lane brings to an access. `value` and `zero` are unknown to the compiler.
struct Operands {
  uint32_t address;    ///< in the shared window
  const char* global;  ///< cp.async only
  uint32_t value;      ///< stored or combined
  uint32_t zero;       ///< 0
};

#define SMEM_ACCESS(STRUCT, NAME, BYTES)                                    \
  struct STRUCT {                                                           \
    static constexpr const char* kName = NAME;                              \
    static constexpr unsigned kBytes = BYTES;                               \
    static __device__ __forceinline__ uint32_t perform(const Operands& of); \
  };                                                                        \
  __device__ __forceinline__ uint32_t STRUCT::perform(const Operands& of)

SMEM_ACCESS(Load1, "ld", 1) {
  uint32_t result;
  asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(result) : "r"(of.address));
  return result;
}
SMEM_ACCESS(Load2, "ld", 2) {
  uint32_t result;
  asm volatile("{.reg .u16 half; ld.volatile.shared.u16 half, [%1]; cvt.u32.u16 %0, half;}"
               : "=r"(result)
               : "r"(of.address));
  return result;
}
SMEM_ACCESS(Load4, "ld", 4) {
  uint32_t result;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(result) : "r"(of.address));
  return result;
}
SMEM_ACCESS(Load8, "ld", 8) {
  uint32_t a, b;
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(of.address));
  return a ^ b;
}
SMEM_ACCESS(Load16, "ld", 16) {
  uint32_t a, b, c, d;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(of.address));
  return a ^ b ^ c ^ d;
}
// The machine code is Load16's, bit for bit; the Compute Sanitizer calls it an access of 12 bytes.
SMEM_ACCESS(Load12, "ld", 12) {
  uint32_t a, b, c;
  [[maybe_unused]] uint32_t unused;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(unused)
               : "r"(of.address));
  return a ^ b ^ c;
}
SMEM_ACCESS(Store1, "st", 1) {
  asm volatile("st.volatile.shared.u8 [%0], %1;" ::"r"(of.address), "r"(of.value));
  return 0;
}
SMEM_ACCESS(Store2, "st", 2) {
  asm volatile("{.reg .u16 half; cvt.u16.u32 half, %1; st.volatile.shared.u16 [%0], half;}" ::"r"(
                   of.address),
               "r"(of.value));
  return 0;
}
SMEM_ACCESS(Store4, "st", 4) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(of.address), "r"(of.value));
  return 0;
}
SMEM_ACCESS(Store8, "st", 8) {
  asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(of.address), "r"(of.value),
               "r"(of.zero));
  return 0;
}
SMEM_ACCESS(Store16, "st", 16) {
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(of.address), "r"(of.value),
               "r"(of.zero), "r"(of.value), "r"(of.zero));
  return 0;
}

// ldmatrix and stmatrix need all 32 lanes active.
#define SMEM_LDMATRIX(SUFFIX, TRANS, PTX_TRANS)                                                  \
  SMEM_ACCESS(LdMatrix1##SUFFIX, "ldmatrix.x1" TRANS, 16) {                                      \
    uint32_t a;                                                                                  \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" PTX_TRANS ".shared.b16 {%0}, [%1];"             \
                 : "=r"(a)                                                                       \
                 : "r"(of.address));                                                             \
    return a;                                                                                    \
  }                                                                                              \
  SMEM_ACCESS(LdMatrix2##SUFFIX, "ldmatrix.x2" TRANS, 16) {                                      \
    uint32_t a, b;                                                                               \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" PTX_TRANS ".shared.b16 {%0, %1}, [%2];"         \
                 : "=r"(a), "=r"(b)                                                              \
                 : "r"(of.address));                                                             \
    return a ^ b;                                                                                \
  }                                                                                              \
  SMEM_ACCESS(LdMatrix4##SUFFIX, "ldmatrix.x4" TRANS, 16) {                                      \
    uint32_t a, b, c, d;                                                                         \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" PTX_TRANS ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                            \
                 : "r"(of.address));                                                             \
    return a ^ b ^ c ^ d;                                                                        \
  }                                                                                              \
  SMEM_ACCESS(StMatrix1##SUFFIX, "stmatrix.x1" TRANS, 16) {                                      \
    asm volatile("stmatrix.sync.aligned.m8n8.x1" PTX_TRANS                                       \
                 ".shared.b16 [%0], {%1};" ::"r"(of.address),                                    \
                 "r"(of.value));                                                                 \
    return 0;                                                                                    \
  }                                                                                              \
  SMEM_ACCESS(StMatrix2##SUFFIX, "stmatrix.x2" TRANS, 16) {                                      \
    asm volatile("stmatrix.sync.aligned.m8n8.x2" PTX_TRANS                                       \
                 ".shared.b16 [%0], {%1, %2};" ::"r"(of.address),                                \
                 "r"(of.value), "r"(of.zero));                                                   \
    return 0;                                                                                    \
  }                                                                                              \
  SMEM_ACCESS(StMatrix4##SUFFIX, "stmatrix.x4" TRANS, 16) {                                      \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" PTX_TRANS                                       \
                 ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(of.address),                        \
                 "r"(of.value), "r"(of.zero), "r"(of.value), "r"(of.zero));                      \
    return 0;                                                                                    \
  }
SMEM_LDMATRIX(, "", "")
SMEM_LDMATRIX(Trans, ".trans", ".trans")

#define SMEM_RED(STRUCT, NAME)                                                                 \
  SMEM_ACCESS(STRUCT, "red." NAME, 4) {                                                        \
    asm volatile("red.shared." NAME " [%0], %1;" ::"r"(of.address), "r"(of.value) : "memory"); \
    return 0;                                                                                  \
  }
#define SMEM_ATOM(STRUCT, NAME)                       \
  SMEM_ACCESS(STRUCT, "atom." NAME, 4) {              \
    uint32_t result;                                  \
    asm volatile("atom.shared." NAME " %0, [%1], %2;" \
                 : "=r"(result)                       \
                 : "r"(of.address), "r"(of.value)     \
                 : "memory");                         \
    return result;                                    \
  }
#define SMEM_RED_ATOM(STRUCT, NAME) SMEM_RED(Red##STRUCT, NAME) SMEM_ATOM(Atom##STRUCT, NAME)
SMEM_ATOM(AtomAddU32, "add.u32")
SMEM_RED_ATOM(AddS32, "add.s32")
SMEM_RED_ATOM(MinU32, "min.u32")
SMEM_RED_ATOM(MinS32, "min.s32")
SMEM_RED_ATOM(MaxU32, "max.u32")
SMEM_RED_ATOM(MaxS32, "max.s32")
SMEM_RED_ATOM(IncU32, "inc.u32")
SMEM_RED_ATOM(DecU32, "dec.u32")
SMEM_RED_ATOM(AndB32, "and.b32")
SMEM_RED_ATOM(OrB32, "or.b32")
SMEM_RED_ATOM(XorB32, "xor.b32")
SMEM_RED_ATOM(AddF16x2, "add.noftz.f16x2")
SMEM_ATOM(AtomExchB32, "exch.b32")

// Adding the constant one without a result, as a histogram does, has an instruction of its own
// (ATOMS.POPC.INC), and so the plain name; with any other value it is ATOMS.ADD.
SMEM_ACCESS(RedAddU32, "red.add.u32", 4) {
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(of.address) : "memory");
  return 0;
}
SMEM_ACCESS(RedAddValue, "red.add_value.u32", 4) {
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(of.address), "r"(of.value) : "memory");
  return 0;
}
SMEM_ACCESS(AtomAddOne, "atom.add_one.u32", 4) {
  uint32_t result;
  asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(result) : "r"(of.address) : "memory");
  return result;
}
SMEM_ACCESS(AtomCasB32, "atom.cas.b32", 4) {
  uint32_t result;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
               : "=r"(result)
               : "r"(of.address), "r"(of.zero), "r"(of.value)
               : "memory");
  return result;
}
SMEM_ACCESS(RedAddF32, "red.add.f32", 4) {
  asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(of.address), "f"(__uint_as_float(of.value))
               : "memory");
  return 0;
}
SMEM_ACCESS(AtomAddF32, "atom.add.f32", 4) {
  float result;
  asm volatile("atom.shared.add.f32 %0, [%1], %2;"
               : "=f"(result)
               : "r"(of.address), "f"(__uint_as_float(of.value))
               : "memory");
  return __float_as_uint(result);
}

#define SMEM_RED64(STRUCT, NAME)                                                            \
  SMEM_ACCESS(STRUCT, "red." NAME, 8) {                                                     \
    const uint64_t value = of.value;                                                        \
    asm volatile("red.shared." NAME " [%0], %1;" ::"r"(of.address), "l"(value) : "memory"); \
    return 0;                                                                               \
  }
#define SMEM_ATOM64(STRUCT, NAME)                          \
  SMEM_ACCESS(STRUCT, "atom." NAME, 8) {                   \
    uint64_t result;                                       \
    const uint64_t value = of.value;                       \
    asm volatile("atom.shared." NAME " %0, [%1], %2;"      \
                 : "=l"(result)                            \
                 : "r"(of.address), "l"(value)             \
                 : "memory");                              \
    return static_cast<uint32_t>(result ^ (result >> 32)); \
  }
SMEM_RED64(RedAddU64, "add.u64")
SMEM_ATOM64(AtomAddU64, "add.u64")
SMEM_RED64(RedMaxU64, "max.u64")
SMEM_ATOM64(AtomMinS64, "min.s64")
SMEM_RED64(RedOrB64, "or.b64")
SMEM_ATOM64(AtomExchB64, "exch.b64")
SMEM_ACCESS(AtomCasB64, "atom.cas.b64", 8) {
  uint64_t result;
  const uint64_t expected = of.zero, value = of.value;
  asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
               : "=l"(result)
               : "r"(of.address), "l"(expected), "l"(value)
               : "memory");
  return static_cast<uint32_t>(result ^ (result >> 32));
}
SMEM_ACCESS(RedAddF64, "red.add.f64", 8) {
  asm volatile("red.shared.add.f64 [%0], %1;" ::"r"(of.address),
               "d"(__hiloint2double(0, static_cast<int>(of.value)))
               : "memory");
  return 0;
}
SMEM_ACCESS(AtomAddF64, "atom.add.f64", 8) {
  double result;
  asm volatile("atom.shared.add.f64 %0, [%1], %2;"
               : "=d"(result)
               : "r"(of.address), "d"(__hiloint2double(0, static_cast<int>(of.value)))
               : "memory");
  return static_cast<uint32_t>(__double2hiint(result) ^ __double2loint(result));
}

#define SMEM_CP_ASYNC(STRUCT, NAME, PTX, BYTES)                                      \
  SMEM_ACCESS(STRUCT, NAME, BYTES) {                                                 \
    asm volatile("cp.async." PTX ".shared.global [%0], [%1], %2;" ::"r"(of.address), \
                 "l"(of.global), "n"(BYTES)                                          \
                 : "memory");                                                        \
    return 0;                                                                        \
  }
SMEM_CP_ASYNC(CpAsyncCa4, "cp.async.ca", "ca", 4)
SMEM_CP_ASYNC(CpAsyncCa8, "cp.async.ca", "ca", 8)
SMEM_CP_ASYNC(CpAsyncCa16, "cp.async.ca", "ca", 16)
SMEM_CP_ASYNC(CpAsyncCg16, "cp.async.cg", "cg", 16)

/// Whether it is a copy that goes on after its instruction; `wait_for_copies` waits for its end.
template <class Access>
constexpr bool kIsCopy = Access::kName[0] == 'c';

__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

using Accesses =
    std::tuple<Load1, Load2, Load4, Load8, Load12, Load16, Store1, Store2, Store4, Store8, Store16,
               LdMatrix1, LdMatrix2, LdMatrix4, LdMatrix1Trans, LdMatrix2Trans, LdMatrix4Trans,
               StMatrix1, StMatrix2, StMatrix4, StMatrix1Trans, StMatrix2Trans, StMatrix4Trans,
               RedAddU32, AtomAddU32, RedAddS32, AtomAddS32, RedMinU32, AtomMinU32, RedMinS32,
               AtomMinS32, RedMaxU32, AtomMaxU32, RedMaxS32, AtomMaxS32, RedIncU32, AtomIncU32,
               RedDecU32, AtomDecU32, RedAndB32, AtomAndB32, RedOrB32, AtomOrB32, RedXorB32,
               AtomXorB32, RedAddF16x2, AtomAddF16x2, AtomExchB32, RedAddValue, AtomAddOne,
               AtomCasB32, RedAddF32, AtomAddF32, RedAddU64, AtomAddU64, RedMaxU64, AtomMinS64,
               RedOrB64, AtomExchB64, AtomCasB64, RedAddF64, AtomAddF64, CpAsyncCa4, CpAsyncCa8,
               CpAsyncCa16, CpAsyncCg16>;

}  // namespace smem::bench
