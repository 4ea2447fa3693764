public import Foundation

/// Where the router is.
public enum Backend {
  /// The port a self-hosted router listens on unless told otherwise.
  public static let defaultPort = 8787

  /// A router on this machine.
  public static let defaultURL: URL = {
    var parts = URLComponents()
    parts.scheme = "http"
    parts.host = "127.0.0.1"
    parts.port = defaultPort
    guard let url = parts.url else { preconditionFailure("a literal URL is not one") }
    return url
  }()
}
