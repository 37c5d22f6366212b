// SPDX-License-Identifier: Apache-2.0
// <nv/target>: chooses code by its compiler, which is that of a device here. Code is a block, and may stand in
// parentheses.
#pragma once

#define KMUX_NV_STRIPPED(...) KMUX_NV_STRIPPED __VA_ARGS__
#define KMUX_NV_NOTHING_KMUX_NV_STRIPPED
#define KMUX_NV_JOINED(...) KMUX_NV_NOTHING_##__VA_ARGS__
#define KMUX_NV_EXPANDED(...) KMUX_NV_JOINED(__VA_ARGS__)
#define KMUX_NV_CODE(...) KMUX_NV_EXPANDED(KMUX_NV_STRIPPED __VA_ARGS__)

#define KMUX_NV_IF_1(yes, ...) {KMUX_NV_CODE(yes)}
#define KMUX_NV_IF_0(yes, ...) {KMUX_NV_CODE(__VA_ARGS__)}
#define KMUX_NV_CHOSEN(condition, ...) KMUX_NV_IF_##condition(__VA_ARGS__)
#define NV_IF_ELSE_TARGET(condition, ...) KMUX_NV_CHOSEN(condition, __VA_ARGS__)
#define NV_IF_TARGET(condition, ...) KMUX_NV_CHOSEN(condition, __VA_ARGS__)

#define NV_IS_DEVICE 1
#define NV_IS_HOST 0
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0
// A processor does the arithmetic of every architecture that they are asked for.
#define NV_PROVIDES_SM_35 1
#define NV_PROVIDES_SM_53 1
#define NV_PROVIDES_SM_60 1
#define NV_PROVIDES_SM_61 1
#define NV_PROVIDES_SM_70 1
