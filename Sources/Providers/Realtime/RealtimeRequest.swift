import Foundation
import SessionsModel

/// What is sent for one answer: the session, the conversation, and the request to respond.
struct RealtimeRequest {
  var prompt: ModelPrompt
  var voice: String?

  /// The client's events in order.
  ///
  /// - Throws: `.failed` when a tool's parameters are no JSON.
  var events: [JSONValue] {
    get throws(ProviderError) {
      var events = [try session]
      for message in prompt.messages where message.role != .system {
        events += items(of: message).map { ["type": "conversation.item.create", "item": $0] }
      }
      events.append(["type": "response.create"])
      return events
    }
  }

  private var session: JSONValue {
    get throws(ProviderError) {
      let format: JSONValue = ["type": "audio/pcm", "rate": .int(OpenAIRealtimeModel.rate)]
      var output: JSONValue = ["format": format]
      if let voice { output["voice"] = .string(voice) }
      let instructions = prompt.messages.filter { $0.role == .system }.map(\.content)
      var session: JSONValue = [
        "type": "realtime", "output_modalities": ["audio"],
        "instructions": .string(instructions.joined(separator: "\n\n")),
        // The router decides when a turn is over.
        "audio": ["input": ["format": format, "turn_detection": nil], "output": output],
      ]
      if let limit = prompt.maxOutputTokens { session["max_output_tokens"] = .int(limit) }
      if let thinking = prompt.thinking, thinking != "none" {
        session["reasoning"] = ["effort": .string(thinking)]
      }
      if !prompt.tools.isEmpty {
        var tools: [JSONValue] = []
        for tool in prompt.tools { tools.append(try self.tool(tool)) }
        session["tools"] = .array(tools)
        session["tool_choice"] = toolChoice
      }
      return ["type": "session.update", "session": session]
    }
  }

  private var toolChoice: JSONValue {
    switch prompt.toolChoice {
    case .automatic: "auto"
    case .none: "none"
    case .required: "required"
    case .tool(let name): ["type": "function", "name": .string(name)]
    }
  }

  private func tool(_ tool: ModelTool) throws(ProviderError) -> JSONValue {
    guard let parameters = try? JSONValue.parse(tool.parameters) else {
      throw .failed("The parameters of the tool \"\(tool.name)\" are no JSON.")
    }
    return [
      "type": "function", "name": .string(tool.name), "description": .string(tool.description),
      "parameters": parameters,
    ]
  }

  private func items(of message: ModelMessage) -> [JSONValue] {
    switch message.role {
    case .system: return []
    case .tool:
      return [
        [
          "type": "function_call_output", "call_id": .string(message.toolCallID ?? ""),
          "output": .string(message.content),
        ]
      ]
    case .assistant:
      let said: [JSONValue] =
        message.content.isEmpty
        ? [] : [item("assistant", ["type": "output_text", "text": .string(message.content)])]
      return said
        + message.toolCalls.map {
          [
            "type": "function_call", "call_id": .string($0.id), "name": .string($0.name),
            "arguments": .string($0.arguments),
          ]
        }
    case .user:
      guard message.sound.isEmpty else {
        let sound = Data(LittleEndianSamples.bytes(of: Self.at24kHz(message.sound)))
        return [
          item("user", ["type": "input_audio", "audio": .string(sound.base64EncodedString())])
        ]
      }
      return [item("user", ["type": "input_text", "text": .string(message.content)])]
    }
  }

  private func item(_ role: String, _ content: JSONValue) -> JSONValue {
    ["type": "message", "role": .string(role), "content": .array([content])]
  }

  /// Three samples for two, on straight lines between them: speech of 8 kHz bandwidth stays what it
  /// was for a model's ears.
  static func at24kHz(_ samples: [Int16]) -> [Int16] {
    (0..<(samples.count * 3 / 2)).map { index in
      let (place, part) = (index * 2 / 3, index * 2 % 3)
      let next = Int(samples[min(place + 1, samples.count - 1)])
      return Int16((Int(samples[place]) * (3 - part) + next * part) / 3)
    }
  }
}
