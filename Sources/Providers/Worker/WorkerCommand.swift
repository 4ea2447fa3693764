import Foundation

/// A control frame to a worker.
enum WorkerCommand {
  case startTranscription
  case endTranscription
  case cancel
  case startAnswer(WorkerAnswerRequest)
  case startSpeech(text: String, voice: String)

  /// The control frame for `request`.
  func frame(request: UInt32) -> WorkerFrame {
    switch self {
    case .startTranscription: Self.control(Plain(type: "start"), request)
    case .endTranscription: Self.control(Plain(type: "end"), request)
    case .cancel: Self.control(Plain(type: "cancel"), request)
    case .startAnswer(let answer): Self.control(answer, request)
    case .startSpeech(let text, let voice): Self.control(Speech(text: text, voice: voice), request)
    }
  }

  private static func control(_ value: some Encodable, _ request: UInt32) -> WorkerFrame {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    do {
      return WorkerFrame(
        kind: .control, request: request, payload: [UInt8](try encoder.encode(value)))
    } catch {
      preconditionFailure("a command of strings and numbers always encodes: \(error)")
    }
  }

  private struct Plain: Encodable {
    var type: String
  }

  private struct Speech: Encodable {
    var type = "start"
    var text: String
    var voice: String
    var speed = 1.0
  }
}

/// What a language worker is asked.
struct WorkerAnswerRequest: Encodable, Equatable {
  struct Message: Encodable, Equatable {
    var role: String
    var content: String
  }

  var type = "start"
  var messages: [Message]
  var maxTokens: Int
  var temperature: Double
  var stop: [String] = []
  /// GBNF the answer must follow.
  var grammar: String?
}
