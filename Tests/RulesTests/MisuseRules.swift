import AgentRouter
import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

extension Rules {
  /// What clients do that nobody thought of: the same again and again, and at the wrong moment.
  @MainActor struct MisuseRules {
    @Test(
      "R52 R138 a session resumed twenty times, live or ended, stays one with its history",
      arguments: RuleWorld.Kind.allCases)
    func resumedOften(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.id = "one"
        let session = try await world.agent.sessions.create(options)
        try await world.ask(session, "My order is 1042.")
        for number in 1...20 {
          let again = try await world.agents.attach(sessionID: "one")
          await again.start()
          #expect(again.isConnected && again.id == "one")
          if number.isMultiple(of: 3) { await again.close() }
        }
        #expect(try await world.agents.sessions.query().items.map(\.id) == ["one"])
        let last = try await world.agents.attach(sessionID: "one")
        try await world.ask(last, "Where is it?")
        #expect(
          world.model.prompts.last?.messages.map(\.content) == [
            "Be brief.", "My order is 1042.", "I heard My order is 1042..", "Where is it?",
          ])
        #expect(try await last.responses.list().items.count == 2)
      }
    }

    @Test(
      "R47 R52 R160 a session that is opened again and closed at once has ended, and says so",
      arguments: RuleWorld.Kind.allCases)
    func closedWhileOpening(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let first = try await world.agent.sessions.create()
        try await world.ask(first, "hello")
        await first.close()
        for _ in 1...20 {
          let again = try await world.agents.attach(sessionID: first.id)
          await again.start()
          let events = again.events()
          await again.close()
          #expect(try await world.agents.sessions.get(first.id).state == .ended)
          var seen: [AgentEvent] = []
          for await event in events { seen.append(event) }
          #expect(seen.all(.left).count == 1, "the socket was not told")
        }
      }
    }

    @Test("R134 R139 R142 a fork in the middle of 200 turns has the first half, its parent all")
    func forkOfMany() async throws {
      try await RuleWorld.with { world in
        var options = SessionOptions(agent: "plain")
        options.id = "long"
        let session = try await world.agents.sessions.create(options)
        await session.close()
        let key = SessionKey(app: "your_api_key", id: "long")
        for number in 1...200 {
          var turn = TurnRecord(
            sessionID: "long", id: "t\(number)", requestID: "q\(number)", origin: .typed,
            said: "question \(number)", createdAt: Date(timeIntervalSince1970: Double(number)))
          turn.status = .completed
          turn.answer = "answer \(number)"
          try await world.store.commit([.turn(turn, key)])
        }
        let fork = try await world.agents.sessions.fork("long", ForkOptions(responseID: "t100"))
        func said(_ id: String) async throws -> [String] {
          var (said, cursor): ([String], String?) = ([], nil)
          repeat {
            let page = try await world.agents.sessions.responses(id).list(
              limit: 70, cursor: cursor)
            said += page.items.map(\.said)
            cursor = page.nextCursor
          } while cursor != nil
          return said
        }
        try await world.ask(try await world.agents.attach(sessionID: fork.id), "only the fork")
        try await world.ask(try await world.agents.attach(sessionID: "long"), "only the parent")
        let all = (1...200).map { "question \($0)" }
        #expect(try await said(fork.id) == Array(all.prefix(100)) + ["only the fork"])
        #expect(try await said("long") == all + ["only the parent"])
      }
    }

    @Test("R153 R160 whoever comes around the end is told of it exactly once")
    func comingAroundTheEnd() async throws {
      try await RuleWorld.with { world in
        for moment in 0..<60 {
          let session = try await world.agent.sessions.create()
          await session.start()
          let asking = session.events()
          try await session.responses.create("hello there")
          try await world.runtime.sleep(for: .milliseconds(moment * 3))
          // Somebody comes while the answer or the end is on its way.
          let socket = try await world.socket(session.id, query: [("v", "2")])
          await session.close()
          var frames: [Frame] = []
          while let event = await socket.receive() {
            guard case .message(.text(let text)) = event else { break }
            if let frame = Frame(json: try SessionsModel.JSONValue.parse(text)) {
              frames.append(frame)
            }
          }
          var seen: [AgentEvent] = []
          for await event in asking { seen.append(event) }
          #expect(seen.all(.left).count == 1, "after \(moment * 3) ms")
          #expect(frames.filter { $0.type == .left }.count == 1, "after \(moment * 3) ms")
          #expect(frames.first?.type == .snapshot)
          #expect(seen.all(.responded).count <= 1 && seen.all(.turn).count == 1)
        }
      }
    }

    @Test("R6 R93 forty questions at once are answered in order, and one too many is refused")
    func tooMany() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        var refused: [HTTPFailure] = []
        var accepted: [Int] = []
        for number in 1...40 {
          let failure = await failure {
            _ = try await session.responses.create("\(number)")
          }
          if let failure { refused.append(failure) } else { accepted.append(number) }
        }
        #expect(!refused.isEmpty)
        #expect(
          refused.allSatisfy {
            $0.status == 409 && $0.code == "response_in_progress" && $0.message.contains("32")
          })
        var answers: [String] = []
        for await event in events {
          if event.kind == .responded { answers.append(event.text) }
          if answers.count == accepted.count { break }
        }
        #expect(answers == accepted.map { "I heard \($0)." })
      }
    }
  }
}
