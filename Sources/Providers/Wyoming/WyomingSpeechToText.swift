import Foundation
public import Networking
import SessionsModel
import Synchronization

/// A recogniser that speaks the Wyoming protocol, such as wyoming-faster-whisper.
///
/// Speech goes out while the person speaks, over a connection of its own for each utterance.
public struct WyomingSpeechToText: SpeechToText {
  /// From the end of an utterance to its words, and between two events on the way.
  public static let answerLimit = Duration.seconds(6)
  static let format: [String: JSONValue] = ["rate": 16_000, "width": 2, "channels": 1]

  private let server: WyomingServer
  private let model: String?
  private let language: String?

  /// - Parameters:
  ///   - model: a name the server knows; nil is the one it has loaded.
  ///   - language: such as `en`; nil lets the server find it out.
  public init(
    dialer: any ByteDialer, runtime: any Runtime, host: String, port: Int, model: String? = nil,
    language: String? = nil
  ) {
    server = WyomingServer(dialer: dialer, runtime: runtime, host: host, port: port)
    self.model = model
    self.language = language
  }

  public func begin() async throws(ProviderError) -> any TranscriptionRequest {
    let connection = try await WyomingConnection.open(server)
    do throws(ProviderError) {
      var asked: [String: JSONValue] = [:]
      if let model { asked["name"] = .string(model) }
      if let language { asked["language"] = .string(language) }
      try await connection.send(WyomingEvent(type: "transcribe", data: asked))
      try await connection.send(WyomingEvent(type: "audio-start", data: Self.format))
    } catch {
      await connection.close()
      throw error
    }
    return Request(connection: connection)
  }

  private final class Request: TranscriptionRequest {
    private let connection: WyomingConnection
    private let state = Mutex((failure: ProviderError?.none, isCancelled: false))

    init(connection: WyomingConnection) {
      self.connection = connection
    }

    deinit {
      connection.closeLater()
    }

    func append(_ samples: [Int16]) async {
      guard state.withLock({ $0.failure == nil && !$0.isCancelled }) else { return }
      do throws(ProviderError) {
        try await connection.send(
          WyomingEvent(
            type: "audio-chunk", data: WyomingSpeechToText.format,
            payload: LittleEndianSamples.bytes(of: samples)))
      } catch {
        state.withLock { $0.failure = error }
      }
    }

    func finish() async throws(ProviderError) -> Transcript {
      do throws(ProviderError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try await connection.send(WyomingEvent(type: "audio-stop"))
        let transcript = try await transcript()
        await connection.close()
        return transcript
      } catch {
        await connection.close()
        throw state.withLock { $0.isCancelled } ? .cancelled : error
      }
    }

    private func transcript() async throws(ProviderError) -> Transcript {
      var pieces = ""
      while true {
        let event = try await connection.next(within: WyomingSpeechToText.answerLimit)
        let text = event.data["text"]?.stringValue ?? ""
        switch event.type {
        case "transcript": return Self.transcript(text, event)
        case "transcript-chunk": pieces += text
        case "transcript-stop": return Self.transcript(pieces, event)
        default: continue  // Events of other services, or of a later version.
        }
      }
    }

    private static func transcript(_ text: String, _ event: WyomingEvent) -> Transcript {
      Transcript(
        text: text.trimmingCharacters(in: .whitespacesAndNewlines),
        language: event.data["language"]?.stringValue ?? "")
    }

    func cancel() async {
      state.withLock { $0.isCancelled = true }
      await connection.close()
    }
  }
}
