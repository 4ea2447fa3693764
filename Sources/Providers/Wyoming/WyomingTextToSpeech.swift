public import Networking
import SessionsModel
import Synchronization

/// A voice that speaks the Wyoming protocol, such as wyoming-piper.
public struct WyomingTextToSpeech: TextToSpeech {
  /// From the request to the first sound, and between two pieces of it.
  public static let answerLimit = Duration.seconds(5)
  /// Rate of most such voices, in Hz; each reply says its own.
  public static let usualRate = 22_050

  private let server: WyomingServer
  private let defaultVoice: String?

  /// - Parameter voice: the server's name of a voice when an agent names none; nil is its own default.
  public init(
    dialer: any ByteDialer, runtime: any Runtime, host: String, port: Int, voice: String? = nil
  ) {
    server = WyomingServer(dialer: dialer, runtime: runtime, host: host, port: port)
    defaultVoice = voice
  }

  public var rate: Int { Self.usualRate }

  public func speak(_ text: String, voice: String) async throws(ProviderError) -> any SpeechReply {
    let connection = try await WyomingConnection.open(server)
    var asked: [String: JSONValue] = ["text": .string(text)]
    let name = voice.isEmpty ? defaultVoice ?? "" : voice
    if !name.isEmpty { asked["voice"] = ["name": .string(name)] }
    do throws(ProviderError) {
      try await connection.send(WyomingEvent(type: "synthesize", data: asked))
    } catch {
      await connection.close()
      throw error
    }
    return Reply(connection: connection)
  }

  private final class Reply: SpeechReply {
    private let connection: WyomingConnection
    private let state = Mutex((rate: Int?.none, isOver: false, isCancelled: false))

    init(connection: WyomingConnection) {
      self.connection = connection
    }

    deinit {
      connection.closeLater()
    }

    var rate: Int? { state.withLock { $0.rate } }

    func next() async throws(ProviderError) -> [Int16]? {
      do throws(ProviderError) {
        while !state.withLock({ $0.isOver }) {
          let event = try await connection.next(within: WyomingTextToSpeech.answerLimit)
          switch event.type {
          case "audio-start": try readFormat(event)
          case "audio-chunk":
            try readFormat(event)
            let samples = LittleEndianSamples.samples(of: event.payload[...])
            if !samples.isEmpty { return samples }
          case "audio-stop": state.withLock { $0.isOver = true }
          default: continue
          }
        }
        await connection.close()
        return nil
      } catch {
        await connection.close()
        throw state.withLock { $0.isCancelled } ? .cancelled : error
      }
    }

    private func readFormat(_ event: WyomingEvent) throws(ProviderError) {
      let width = event.data["width"]?.intValue ?? 2
      let channels = event.data["channels"]?.intValue ?? 1
      guard width == 2, channels == 1 else {
        throw .failed(
          "\(connection.name) speaks \(8 * width) bit in \(channels) channels; "
            + "16 bit in one channel is understood.")
      }
      guard let rate = event.data["rate"]?.intValue ?? self.rate, (8_000...192_000).contains(rate)
      else {
        throw .failed(
          "\(connection.name) speaks at \(event.data["rate"] ?? .null) Hz, "
            + "which is not between 8000 and 192000.")
      }
      let before = state.withLock { state in
        defer { state.rate = rate }
        return state.rate
      }
      guard before == nil || before == rate else {
        throw .failed("\(connection.name) changed its rate in mid-reply, to \(rate) Hz.")
      }
    }

    func cancel() async {
      state.withLock { $0.isCancelled = true }
      await connection.close()
    }
  }
}
