#pragma once
#include <uv.h>

#include <libwebsockets.h>

#include "context_end.h"

// Macros with casts or arguments, which Swift cannot import.
static inline size_t clws_headroom(void) {
  return LWS_PRE;
}
static inline uint64_t clws_option_foreign_uv_loop(void) {
  return LWS_SERVER_OPTION_LIBUV;
}
static inline uint64_t clws_option_explicit_vhosts(void) {
  return LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
}
static inline uint64_t clws_option_tls(void) {
  return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
}
static inline uint64_t clws_option_fail_if_unbound(void) {
  return LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
}
static inline int clws_port_no_listen(void) {
  return CONTEXT_PORT_NO_LISTEN;
}

#include <openssl/asn1.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
