import Foundation
public import Networking
import Synchronization

/// A voice behind any URL that speaks the OpenAI speech interface (`POST /audio/speech`).
///
/// The sound is asked for as bare samples and handed on while it is still being made.
public struct OpenAICompatibleTextToSpeech: TextToSpeech {
  /// The time limits of one request.
  public struct Limits: Sendable {
    /// From the request to the response's head.
    public var firstByte = Duration.seconds(5)
    /// Between two pieces of the sound.
    public var stall = Duration.seconds(5)

    public init() {}
  }

  /// Rate of `response_format: pcm` in OpenAI's interface, in Hz.
  public static let usualRate = 24_000
  /// Sound of one request: 2 minutes at 48 kHz.
  static let bytesAtMost = 48_000 * 2 * 120

  private let server: OpenAIServer
  private let limits: Limits
  private let defaultVoice: String
  private let configuredRate: Int

  /// - Parameters:
  ///   - origin: where the interface lives, up to and with its version.
  ///   - voice: asked for when an agent names none; such servers have no default of their own.
  ///   - rate: of the bare samples this server gives, in Hz, 8,000 to 192,000.
  public init(
    transport: any Transport, runtime: any Runtime, origin: Origin, model: String, key: String?,
    voice: String = "alloy", rate: Int = usualRate, limits: Limits = Limits()
  ) {
    server = OpenAIServer(
      transport: transport, runtime: runtime, origin: origin, model: model, key: key,
      kind: "speech server")
    self.limits = limits
    defaultVoice = voice
    configuredRate = rate
  }

  public var rate: Int { configuredRate }

  public func speak(_ text: String, voice: String) async throws(ProviderError) -> any SpeechReply {
    let body = Body(
      model: server.model, input: text, voice: voice.isEmpty ? defaultVoice : voice)
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    let encoded: [UInt8]
    do {
      encoded = [UInt8](try encoder.encode(body))
    } catch {
      throw .failed("The request for speech could not be written as JSON: \(error)")
    }
    var request = HTTPRequest(.post, "/audio/speech", body: encoded)
    request.headers["Content-Type"] = "application/json"
    let response = try await server.open(request, within: limits.firstByte)
    let type = response.headers["Content-Type"]?.lowercased() ?? ""
    guard !type.hasPrefix("application/json"), !type.hasPrefix("text/") else {
      throw .failed(
        "\(server.name) answered with \(type) instead of sound; "
          + "it must know response_format pcm.")
    }
    guard !type.contains("mpeg"), !type.contains("ogg"), !type.contains("flac") else {
      throw .failed(
        "\(server.name) speaks \(type) although pcm was asked for; "
          + "name a server that can give pcm or wav.")
    }
    return Reply(server: server, response: response, stall: limits.stall)
  }

  private struct Body: Encodable {
    var model: String
    var input: String
    var voice: String
    var responseFormat = "pcm"
  }

  private final class Reply: SpeechReply {
    private let server: OpenAIServer
    private let response: HTTPResponseStream
    private let stall: Duration
    private let state = Mutex(State())

    private struct State {
      var reader = PCMStreamReader()
      var bytes = 0
      var isCancelled = false
      var isOver = false
      /// Waiting for the next bytes.
      var reading: Task<Result<[UInt8]?, ProviderError>, Never>?
    }

    init(server: OpenAIServer, response: HTTPResponseStream, stall: Duration) {
      self.server = server
      self.response = response
      self.stall = stall
    }

    /// Said by the file itself, where the server sends one.
    var rate: Int? { state.withLock { $0.reader.rate } }

    func next() async throws(ProviderError) -> [Int16]? {
      while !state.withLock({ $0.isOver }) {
        guard !state.withLock({ $0.isCancelled }) else { throw .cancelled }
        let bytes = try await read()
        guard !state.withLock({ $0.isCancelled }) else { throw .cancelled }
        guard let bytes else {
          let rest = state.withLock { state in
            state.isOver = true
            return state.reader.finish()
          }
          return rest.isEmpty ? nil : rest
        }
        let samples = try take(bytes)
        if !samples.isEmpty { return samples }
      }
      return nil
    }

    /// In a task of its own, so that ``cancel()`` ends the transfer while somebody waits for it.
    private func read() async throws(ProviderError) -> [UInt8]? {
      let (server, response, stall) = (server, response, stall)
      let reading = server.runtime.task { () -> Result<[UInt8]?, ProviderError> in
        do throws(ProviderError) {
          return .success(try await server.next(of: response, within: stall))
        } catch {
          return .failure(error)
        }
      }
      let isCancelled = state.withLock { state in
        state.reading = reading
        return state.isCancelled
      }
      if isCancelled { reading.cancel() }
      let result = await withTaskCancellationHandler {
        await reading.value
      } onCancel: {
        reading.cancel()
      }
      return try result.get()
    }

    private func take(_ bytes: [UInt8]) throws(ProviderError) -> [Int16] {
      let taken = state.withLock { state -> Result<[Int16], ProviderError> in
        state.bytes += bytes.count
        guard state.bytes <= OpenAICompatibleTextToSpeech.bytesAtMost else {
          return .failure(.failed("\(server.name) sent more sound than one request can be."))
        }
        do throws(PCMStreamReader.Unreadable) {
          let samples = try state.reader.take(bytes)
          if let rate = state.reader.rate, !(8_000...192_000).contains(rate) {
            return .failure(.failed("\(server.name) sent sound of \(rate) Hz."))
          }
          return .success(samples)
        } catch {
          return .failure(
            .failed("\(server.name) sent \(error.what), where mono PCM16 was asked for."))
        }
      }
      return try taken.get()
    }

    func cancel() async {
      let reading = state.withLock { state in
        state.isCancelled = true
        return state.reading
      }
      reading?.cancel()
    }
  }
}
