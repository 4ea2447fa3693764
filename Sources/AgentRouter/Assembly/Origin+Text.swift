import Foundation
import Networking

extension Origin {
  /// Reads `http://HOST[:PORT][/PATH]`; nil for anything else.
  init?(text: String) {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme, ["http", "https"].contains(scheme)
    else { return nil }
    let isSecure = scheme == "https"
    self.init(
      secure: isSecure, host: host, port: parts.port ?? (isSecure ? 443 : 80),
      basePath: parts.path == "/" ? "" : parts.path)
  }
}
