#pragma once
// The library is C++; this module carries only its flags and its linkage.
