import Glibc

/// How many descriptors this process may have; every connection needs one.
enum DescriptorLimit {
  /// Takes as many as the system allows without being asked: the usual limit is for programs that
  /// still use `select`.
  static func raise() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}
