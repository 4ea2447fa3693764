#pragma once
#include <curl/curl.h>

// libcurl's setters and getters are variadic, which Swift cannot call.
static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_data_function(CURL *easy, CURLoption option,
                                               ccurl_data_function function) {
  return curl_easy_setopt(easy, option, function);
}
typedef int (*ccurl_socket_option_function)(void *context, curl_socket_t socket,
                                            curlsocktype purpose);
static inline CURLcode ccurl_set_socket_option_function(CURL *easy,
                                                        ccurl_socket_option_function function) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, function);
}
static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
typedef int (*ccurl_watch_function)(CURL *easy, curl_socket_t socket, int what, void *context,
                                    void *socket_context);
static inline CURLMcode ccurl_multi_set_watch_function(CURLM *multi,
                                                       ccurl_watch_function function) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}
typedef int (*ccurl_timer_function)(CURLM *multi, long milliseconds, void *context);
static inline CURLMcode ccurl_multi_set_timer_function(CURLM *multi,
                                                       ccurl_timer_function function) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
  return message->data.result;
}
// `tls` is OpenSSL's SSL_CTX of a new connection.
typedef CURLcode (*ccurl_tls_function)(CURL *easy, void *tls, void *context);
static inline CURLcode ccurl_set_tls_function(CURL *easy, ccurl_tls_function function) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
}
