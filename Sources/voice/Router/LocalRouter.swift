import AgentRouter
import Foundation
import Networking
import SessionsModel
import VisionAgentsCore
import VoiceEngine

/// The router whose `router.yaml` this person can read, spoken to as its backend.
struct LocalRouter {
  static let options = [
    Arguments.Option("--config", value: "FILE", "the router's configuration, with its keys"),
    Arguments.Option("--url", value: "URL", "the router, where it is not where the file says"),
  ]

  let url: URL
  let app: RouterConfiguration.App
  let fingerprint: CertificateFingerprint?

  /// - Throws: ``FileFault`` or ``UsageError`` naming what is missing.
  init(_ arguments: Arguments, command: String) throws {
    let file = arguments["--config"].map { URL(filePath: $0) } ?? Places().routerConfiguration
    app = try RouterKeys.first(in: file)
    let configuration = try RouterConfiguration.load(from: file)
    fingerprint = try configuration.tls.map { tls throws(CertificateFailure) in
      try CertificateFingerprint(ofFile: tls.certificate.chainPath)
    }
    if let text = arguments["--url"] {
      guard let url = URL(string: text), url.host != nil else {
        throw UsageError("voice \(command): --url wants http://HOST:PORT, but got \"\(text)\".")
      }
      self.url = url
    } else {
      guard configuration.listenPort > 0, let url = URL(string: configuration.localAddress) else {
        throw UsageError(
          "voice \(command): \(file.path) leaves the port to the system; say --url URL.")
      }
      self.url = url
    }
  }

  /// The SDK as the router's backend.
  func backend(runtime: LoopRuntime) -> VisionAgents {
    VisionAgents(
      apiKey: app.key, apiSecret: app.secret, url: url,
      environment: .live(
        device: VoiceDeviceConfiguration(), runtime: runtime,
        pin: url.scheme == "https" ? fingerprint : nil))
  }

  /// Asks for what the SDK has no call for.
  func send(_ request: HTTPRequest, runtime: LoopRuntime) async throws(FileFault) -> JSONValue {
    var request = request
    let now = Int(Date().timeIntervalSince1970)
    let token = Token.mint(
      TokenClaims(server: true, issuedAt: now - 5, expiresAt: now + 300), secret: app.secret)
    request.headers["X-Api-Key"] = app.key
    request.headers["Authorization"] = "Bearer \(token)"
    request.headers["Stream-Auth-Type"] = "server"
    let secure = url.scheme == "https"
    let origin = Origin(
      secure: secure, host: url.host ?? "", port: url.port ?? (secure ? 443 : 80))
    let transport = LoopTransport(runtime: runtime, pin: fingerprint)
    do {
      let response = try await transport.request(request, to: origin, timeout: .seconds(10))
      guard (200..<300).contains(response.status) else {
        throw FileFault(ErrorEnvelope(status: response.status, body: response.body).message)
      }
      return try JSONValue.parse(response.body)
    } catch let fault as FileFault {
      throw fault
    } catch {
      throw FileFault("\(error). Is the router running? `voice router` starts it.")
    }
  }
}

extension RouterConfiguration {
  /// The URL by which a program on the same machine reaches the router.
  var localAddress: String {
    let everywhere = ["0.0.0.0", "::", ""]
    let host = everywhere.contains(listenAddress) ? "127.0.0.1" : listenAddress
    let written = host.contains(":") ? "[\(host)]" : host
    return "\(tls == nil ? "http" : "https")://\(written):\(listenPort)"
  }
}
