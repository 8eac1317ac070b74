// SPDX-License-Identifier: Apache-2.0
// libsystemc refers to sc_main; programs that simulate have a main() of their own.
extern "C" __attribute__((weak)) int sc_main(int, char**);
extern "C" int sc_main(int, char**) {
  return 0;
}
