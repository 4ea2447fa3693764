import Foundation

/// A self-signed certificate for `localhost`, made for these tests and used nowhere else.
struct TestCertificate {
  let chainPath: String
  let keyPath: String

  /// Writes certificate and key into a new directory, which `body` may use.
  static func use(_ body: (TestCertificate) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("voice-certificate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }  // A left-over harms nobody.
    let chain = directory.appendingPathComponent("chain.pem")
    let key = directory.appendingPathComponent("key.pem")
    try Data(Self.chain.utf8).write(to: chain)
    try Data(Self.key.utf8).write(to: key)
    try await body(TestCertificate(chainPath: chain.path, keyPath: key.path))
  }

  private static let chain = """
    -----BEGIN CERTIFICATE-----
    MIIBlTCCATugAwIBAgIUawgCNgr56vi+uwbeDeVXe1gAa1QwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDE5MDIzNloYDzIxMjYxMTA2
    MTkwMjM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAASmw9WGb8o/xPKlwJlW87gYAkbs2q47hHrP8+1yjqJgpklasyMj9cnO
    Lg1YTvfO/156TgAIcHHPjGPJcW9N0ONao2kwZzAdBgNVHQ4EFgQURZnFnI/xu9/Y
    C50+s69nZnrrRbAwHwYDVR0jBBgwFoAURZnFnI/xu9/YC50+s69nZnrrRbAwDwYD
    VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
    SAAwRQIhAJFt77B8n3YncVywdowBHVUiMOn5ydslYhwMXzusv5ehAiAfuG4pHBPl
    iBJJY4/nLBpehv/Vf+qWz0cEzEvQVJayOw==
    -----END CERTIFICATE-----

    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTem5Ubj7ZXdBVnzC
    zj85QEBhzUlq8zpII/N+aVzD/euhRANCAASmw9WGb8o/xPKlwJlW87gYAkbs2q47
    hHrP8+1yjqJgpklasyMj9cnOLg1YTvfO/156TgAIcHHPjGPJcW9N0ONa
    -----END PRIVATE KEY-----

    """
}
