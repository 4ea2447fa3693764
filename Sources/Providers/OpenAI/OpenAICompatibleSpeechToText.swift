import Foundation
public import Networking
import Synchronization

/// A recogniser behind any URL that speaks the OpenAI transcription interface
/// (`POST /audio/transcriptions`).
///
/// The interface takes whole recordings: speech is gathered while the person speaks and sent at the
/// end of the utterance. Where the server streams its words, its silence is noticed between them.
public struct OpenAICompatibleSpeechToText: SpeechToText {
  /// The time limits of one request.
  public struct Limits: Sendable {
    /// From the end of the utterance to the response's head.
    public var firstByte = Duration.seconds(6)
    /// Between two pieces of the response.
    public var stall = Duration.seconds(3)

    public init() {}
  }

  /// Rate of the speech, in Hz.
  static let rate = 16_000
  /// The longest utterance: 2 minutes; what goes beyond it is not heard.
  static let samplesAtMost = rate * 120
  /// The longest answer.
  static let answerBytesAtMost = 1 << 20

  private let server: OpenAIServer
  private let limits: Limits
  private let language: String?
  private let streams: Bool

  /// - Parameters:
  ///   - origin: where the interface lives, up to and with its version.
  ///   - language: ISO 639-1, such as `en`; nil lets the server find it out.
  ///   - streams: asks for the words as events while they are found; not every server knows it.
  public init(
    transport: any Transport, runtime: any Runtime, origin: Origin, model: String, key: String?,
    language: String? = nil, streams: Bool = false, limits: Limits = Limits()
  ) {
    server = OpenAIServer(
      transport: transport, runtime: runtime, origin: origin, model: model, key: key,
      kind: "transcription server")
    self.limits = limits
    self.language = language
    self.streams = streams
  }

  public func begin() async throws(ProviderError) -> any TranscriptionRequest {
    Request(provider: self)
  }

  private func transcribe(_ samples: [Int16]) async throws(ProviderError) -> Transcript {
    var form = MultipartForm(boundary: boundary())
    form.add("model", server.model)
    form.add("response_format", "json")
    if let language { form.add("language", language) }
    if streams { form.add("stream", "true") }
    form.addFile(
      "file", fileName: "speech.wav", type: "audio/wav",
      WaveFile.bytes(of: samples, rate: Self.rate))
    var request = HTTPRequest(.post, "/audio/transcriptions", body: form.finished())
    request.headers["Content-Type"] = form.contentType
    let response = try await server.open(request, within: limits.firstByte)
    let type = response.headers["Content-Type"]?.lowercased() ?? ""
    return type.hasPrefix("text/event-stream")
      ? try await readEvents(response) : try await readWhole(response, type)
  }

  /// 128 bits of chance occur in no recording by accident.
  private func boundary() -> String {
    String(server.runtime.randomUInt64(), radix: 16)
      + String(server.runtime.randomUInt64(), radix: 16)
  }

  private func readWhole(_ response: HTTPResponseStream, _ type: String)
    async throws(ProviderError) -> Transcript
  {
    var body: [UInt8] = []
    while let bytes = try await server.next(of: response, within: limits.stall) {
      body += bytes
      guard body.count <= Self.answerBytesAtMost else {
        throw .failed("\(server.name) answered with more than \(Self.answerBytesAtMost) bytes.")
      }
    }
    let text = String(decoding: body, as: UTF8.self)
    if type.hasPrefix("text/plain") { return transcript(text, nil) }
    guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)),
      let words = answer.text
    else { throw .failed("\(server.name) sent an answer that cannot be read: \(text.prefix(200))") }
    return transcript(words, answer.language)
  }

  /// The events `transcript.text.delta` and `transcript.text.done`.
  private func readEvents(_ response: HTTPResponseStream)
    async throws(ProviderError) -> Transcript
  {
    var (events, words, seen) = (ServerSentEvents(), "", 0)
    while let bytes = try await server.next(of: response, within: limits.stall) {
      seen += bytes.count
      guard seen <= Self.answerBytesAtMost, let read = try? events.feed(bytes) else {
        throw .failed("\(server.name) answered with more than \(Self.answerBytesAtMost) bytes.")
      }
      for event in read where event.data != "[DONE]" {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(event.data.utf8))
        else {
          throw .failed(
            "\(server.name) sent an event that cannot be read: \(event.data.prefix(200))")
        }
        if let error = answer.error { throw .failed("\(server.name) failed: \(error.message)") }
        words += answer.delta ?? ""
        if answer.type == "transcript.text.done" {
          return transcript(answer.text ?? words, answer.language)
        }
      }
    }
    throw .failed("\(server.name) ended its answer before it was complete.")
  }

  private func transcript(_ text: String, _ language: String?) -> Transcript {
    Transcript(
      text: text.trimmingCharacters(in: .whitespacesAndNewlines), language: language ?? "")
  }

  private struct Answer: Decodable {
    struct Failure: Decodable {
      var message: String
    }

    var type: String?
    var text: String?
    var delta: String?
    var language: String?
    var error: Failure?
  }

  private final class Request: TranscriptionRequest {
    private let provider: OpenAICompatibleSpeechToText
    private let state = Mutex(State())

    private struct State {
      var samples: [Int16] = []
      var work: Task<Result<Transcript, ProviderError>, Never>?
      var isCancelled = false
    }

    init(provider: OpenAICompatibleSpeechToText) {
      self.provider = provider
    }

    func append(_ samples: [Int16]) async {
      state.withLock { state in
        let room = OpenAICompatibleSpeechToText.samplesAtMost - state.samples.count
        state.samples += samples.prefix(max(0, room))
      }
    }

    func finish() async throws(ProviderError) -> Transcript {
      let provider = provider
      let work = state.withLock { state -> Task<Result<Transcript, ProviderError>, Never>? in
        guard !state.isCancelled else { return nil }
        let samples = state.samples
        state.work = provider.server.runtime.task {
          do throws(ProviderError) {
            return .success(try await provider.transcribe(samples))
          } catch {
            return .failure(error)
          }
        }
        return state.work
      }
      guard let work else { throw .cancelled }
      let result = await withTaskCancellationHandler {
        await work.value
      } onCancel: {
        work.cancel()
      }
      return try result.get()
    }

    func cancel() async {
      let work = state.withLock { state in
        state.isCancelled = true
        state.samples = []
        return state.work
      }
      work?.cancel()
    }
  }
}
