import Foundation

/// A control frame from a worker.
enum WorkerReport: Equatable {
  case ready(WorkerReady)
  case result(WorkerResult)
  case cancelled
  case error(code: String, message: String)
  /// A type this router does not know, such as `stats`; skipped.
  case other(String)

  /// Reads a control frame's payload.
  init(_ payload: [UInt8]) throws(WorkerFrameError) {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = Data(payload)
    do {
      switch try decoder.decode(Envelope.self, from: data).type {
      case "ready": self = .ready(try decoder.decode(WorkerReady.self, from: data))
      case "result": self = .result(try decoder.decode(WorkerResult.self, from: data))
      case "cancelled": self = .cancelled
      case "error":
        let failure = try decoder.decode(Failure.self, from: data)
        self = .error(code: failure.code, message: failure.message)
      case let type: self = .other(type)
      }
    } catch {
      throw WorkerFrameError(sentence: "a control frame that is no readable JSON object")
    }
  }

  private struct Envelope: Decodable {
    var type: String
  }

  private struct Failure: Decodable {
    var code: String
    var message: String
  }
}

/// What a worker says of itself once it can work.
public struct WorkerReady: Sendable, Equatable, Decodable {
  /// `stt`, `llm`, `tts` or `turn`.
  public var role: String
  /// The model's name.
  public var name: String
  public var licence: String
  /// Sample rate it takes (`stt`) or gives (`tts`), in Hz; absent for `llm`.
  public var rate: Int?
  public var threads: Int?
  public var loadMs: Double?
}

/// The end of a request; which fields are set depends on the worker's role.
struct WorkerResult: Sendable, Equatable, Decodable {
  var text: String?
  var decodeMs: Double?
  var finishReason: String?
  var inputTokens: Int?
  var cachedInputTokens: Int?
  var outputTokens: Int?
  var ttftMs: Double?
  var audioMs: Double?
  var trimmedLeadMs: Double?
  /// The probability of an end-of-turn worker.
  var complete: Double?
}
