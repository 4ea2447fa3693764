import Foundation
import Networking

extension Origin {
  /// The origin an `http`, `https`, `ws` or `wss` URL names; its path becomes the base path.
  init(url: URL) throws(AgentsError) {
    let scheme = url.scheme?.lowercased() ?? ""
    guard ["http", "https", "ws", "wss"].contains(scheme), let host = url.host, !host.isEmpty
    else {
      throw AgentsError.configuration(
        "The router's URL \(url.absoluteString) is not one of http or https with a host;"
          + " write it like \(Backend.defaultURL.absoluteString).")
    }
    let secure = scheme == "https" || scheme == "wss"
    let path = url.path == "/" ? "" : url.path
    self.init(
      secure: secure, host: host, port: url.port ?? (secure ? 443 : 80), basePath: path)
  }
}

extension Result where Success == Origin, Failure == AgentsError {
  /// The origin of `url`, or why it names none; said at the first request, since initialisers of the
  /// SDK do not throw.
  static func reading(_ url: URL) -> Self {
    do {
      return .success(try Origin(url: url))
    } catch {
      return .failure(error)
    }
  }
}
