import Foundation
public import Networking
import SessionsModel

/// A speech-to-speech model behind any URL that speaks the OpenAI realtime interface.
///
/// Turns are decided here, as for every other model: the server's own turn detection is switched
/// off, and each answer is one connection that gets the conversation, the person's sound, and one
/// request for a response. So a cut, a stand-in and a time limit work as they do elsewhere, at the
/// price of one opening an answer.
public struct OpenAIRealtimeModel: SpeechToSpeech {
  /// The time limits of one answer.
  public struct Limits: Sendable {
    /// Until the WebSocket is open.
    public var opening = Duration.seconds(5)
    /// From the request to the first event of the answer, and between two events.
    public var stall = Duration.seconds(10)

    public init() {}
  }

  /// Rate of the interface's sound, both ways, in Hz: it knows no other.
  public static let rate = 24_000
  /// Unread events of one answer.
  static let unreadEvents = 4_096

  private let transport: any Transport
  private let runtime: any Runtime
  private let origin: Origin
  private let model: String
  private let key: String?
  private let voice: String?
  private let limits: Limits

  /// - Parameters:
  ///   - origin: where the interface lives, up to and with its version.
  ///   - voice: the server's name of a voice; nil is its own default.
  public init(
    transport: any Transport, runtime: any Runtime, origin: Origin, model: String, key: String?,
    voice: String? = nil, limits: Limits = Limits()
  ) {
    self.transport = transport
    self.runtime = runtime
    self.origin = origin
    self.model = model
    self.key = key
    self.voice = voice
    self.limits = limits
  }

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    let messages = try RealtimeRequest(prompt: prompt, voice: voice).events
    let socket = try await open()
    for message in messages { await socket.send(.text(message.serializedText)) }
    return RealtimeReply(socket: socket, runtime: runtime, stall: limits.stall, name: name)
  }

  private var name: String { "The realtime server at \(origin.host):\(origin.port)" }

  private func open() async throws(ProviderError) -> any WebSocketConnection {
    var headers = HTTPHeaders()
    if let key { headers["Authorization"] = "Bearer \(key)" }
    let request = WebSocketRequest(
      host: origin.host, port: origin.port, secure: origin.secure,
      path: origin.basePath + "/realtime", query: [("model", model)], headers: headers)
    do throws(TransportError) {
      return try await transport.openWebSocket(request, timeout: limits.opening)
    } catch {
      guard case .refused(let response) = error else { throw ProviderError(error) }
      let said = String(decoding: response.body.prefix(500), as: UTF8.self)
      switch response.status {
      case 401, 403: throw .unavailable("\(name) refused the key (\(response.status)): \(said)")
      case 404: throw .unavailable("\(name) does not know \"\(model)\" or the path: \(said)")
      case 429:
        let seconds = response.headers["Retry-After"].flatMap(Double.init)
        throw .rateLimited(retryAfter: seconds.map { .seconds($0) })
      default: throw .failed("\(name) answered \(response.status): \(said)")
      }
    }
  }
}
