// SPDX-License-Identifier: Apache-2.0
// libsystemc refers to sc_main. Programs that simulate have a main() of their own and never call it.
extern "C++" __attribute__((weak)) int sc_main(int, char**);
__attribute__((weak)) int sc_main(int, char**) { return 0; }
