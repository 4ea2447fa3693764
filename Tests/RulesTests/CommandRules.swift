import Networking
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  /// Requests that a public client gives an id of its own (`command_id`).
  @MainActor struct CommandRules {
    @Test(
      "R3 R162 a command is followed by its own id: accepted, read, the same again, unknown",
      arguments: RuleWorld.Kind.allCases)
    func followed(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        let path = "/v1/agents/sessions/\(session.id)"
        let socket = try await world.socket(session.id)
        let asked = try await world.send(
          .post, "\(path)/responses", ["text": "hello", "command_id": "c-1"])
        #expect(asked.status == 202)
        let frames = try await world.frames(socket, until: .turn)
        let accepted = try #require(frames.first { $0.type == .commandAccepted }?["command"])
        #expect(accepted["command_id"] == "c-1" && accepted["duplicate"] == false)
        let read = try await world.send(.get, "\(path)/commands/c-1", as: nil)
        #expect(read.status == 200 && read.json["state"] == "completed")
        #expect(read.json["response_id"] == asked.json["id"])
        // The ids are those of the messages in the channel.
        let messages = try await world.send(.get, "\(path)/channel/messages").json["items"]
        #expect(
          messages?.arrayValue?.map { $0["id"] } == [
            read.json["user_message_id"], read.json["assistant_message_id"],
          ])
        let again = try await world.send(
          .post, "\(path)/responses", ["text": "hello", "command_id": "c-1"])
        #expect(again.json["id"] == asked.json["id"])
        let other = try await world.send(
          .post, "\(path)/responses", ["text": "x", "command_id": "c-1"])
        #expect(other.status == 409 && other.code == "command_conflict")
        let unknown = try await world.send(.get, "\(path)/commands/c-2", as: nil)
        #expect(unknown.status == 404 && unknown.code == "response_not_found")
        #expect(unknown.message.contains("c-2"))
        let invalid = try await world.send(
          .get, "\(path)/commands/" + String(repeating: "c", count: 129), as: nil)
        #expect(invalid.status == 400 && invalid.code == "invalid_id")
        let device = try await world.send(.get, "\(path)/commands/c-1")
        #expect(device.status == 403 && device.code == "server_only")
        await session.close()
        // Of an ended session too.
        #expect(
          try await world.send(.get, "\(path)/commands/c-1", as: nil).json["state"] == "completed")
        let over = try await world.send(.post, "\(path)/commands/c-1/interrupt", as: nil)
        #expect(over.status == 200 && over.json["state"] == "completed")
      }
    }

    @Test("R98 R155 a command is stopped by its id, and no other reply with it")
    func stopped() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        let socket = try await world.socket(session.id)
        let path = "/v1/agents/sessions/\(session.id)"
        for (id, text) in [("c-1", "one two three four"), ("c-2", "five six")] {
          await socket.send(
            .text(#"{"type":"respond","text":"\#(text)","command_id":"\#(id)"}"#))
        }
        _ = try await world.frames(socket, until: .responseDelta)
        let stopped = try await world.send(.post, "\(path)/commands/c-1/interrupt", as: nil)
        #expect(stopped.status == 200 && stopped.json["state"] == "cancelled")
        let frames = try await world.frames(socket, until: .commandStopped)
        #expect(frames.last?["command"]?["command_id"] == "c-1")
        #expect(frames.last?["command"]?["state"] == "cancelled")
        let rest = try await world.frames(socket, until: .responded)
        #expect(rest.last?.requestID == "c-2")
      }
    }
  }
}
