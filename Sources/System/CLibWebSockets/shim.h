#pragma once
#include <uv.h>
#include <libwebsockets.h>
