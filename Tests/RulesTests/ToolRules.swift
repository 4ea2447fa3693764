import AgentRouter
import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct ToolRules {
    private func settings(_ change: @escaping (inout AgentConfiguration) -> Void = { _ in })
      -> RuleWorld.Settings
    {
      var settings = RuleWorld.Settings()
      settings.configure = { configuration in
        configuration.agents[1].toolChoice = "find_order"
        change(&configuration.agents[1])
      }
      return settings
    }

    private func session(
      _ world: RuleWorld,
      _ run: @escaping @Sendable ([String: VisionAgentsCore.JSONValue]) async throws -> String
    ) async throws -> AgentSession {
      var options = SessionOptions(agent: "plain")
      options.tools = [
        AgentTool(
          "find_order", description: "Finds an order",
          parameters: ["type": "object", "properties": ["order": ["type": "string"]]], run: run)
      ]
      let session = try await world.agents.sessions.create(options)
      await session.start()
      return session
    }

    @Test(
      "R157 R158 R161 the SDK runs the tool; pending_work until the answer is complete",
      arguments: RuleWorld.Kind.allCases)
    func tool(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind, settings()) { world in
        let ran = Shared<[String]>([])
        let session = try await session(world) { arguments in
          ran.update { $0.append(arguments["order"]?.stringValue ?? "") }
          return "on its way"
        }
        let events = try await world.ask(session, "Where is it?")
        #expect(ran.value == ["1042"], "once")
        #expect(events.all(.responded).map(\.pendingWork) == [true, false])
        let call = try #require(events.first(.toolCall)?.toolCall)
        #expect(call.name == "find_order" && call.arguments["order"] == "1042")
        #expect(
          events.first(.toolCall)?.fields["arguments"]?.stringValue != nil, "JSON as a string")
        #expect(events.first(.toolRan)?.fields["result"] == "on its way")
        #expect(events.first(.toolRan)?.fields["error"] == "")
        #expect(events.words.hasSuffix("The tool says: on its way."))
        let kinds = try await session.responses.items.all().map(\.kind)
        #expect(kinds == [.said, .toolCall, .toolResult, .answer])
      }
    }

    @Test("R161 a tool that throws, and one that never answers, is told to the model in words")
    func failingTools() async throws {
      try await RuleWorld.with(.simulated, settings()) { world in
        struct Broken: Error, CustomStringConvertible { let description = "the shop is shut" }
        let throwing = try await session(world) { _ in throw Broken() }
        let told = try await world.ask(throwing, "Where is it?")
        #expect(told.words.contains("find_order failed: the shop is shut"))
        let hanging = try await session(world) { [runtime = world.runtime] _ in
          try await runtime.sleep(for: .seconds(300))
          return "too late"
        }
        let late = try await world.ask(hanging, "Where is it?")
        #expect(late.words.contains("gave no answer within 28 seconds"))
        #expect(hanging.state == .idle)
      }
    }

    @Test("R161 a call goes to who declared the tool and to nobody else, and is answered once")
    func onlyWhoDeclared() async throws {
      try await RuleWorld.with(.simulated, settings()) { world in
        let ran = Shared(0)
        let session = try await session(world) { _ in
          ran.update { $0 += 1 }
          return "found"
        }
        let watcher = try await world.socket(session.id)
        let admin = try await world.socket(session.id, as: nil)
        let events = session.events()
        try await session.responses.create("Where is it?")
        // Somebody who was not asked answers with an error, as public clients do.
        let call = try await world.frames(watcher, until: .toolStarted)
        #expect(!call.contains { $0.type == .toolCall })
        await admin.send(
          .text(
            #"{"type":"tool_result","tool_call_id":"call-1","output":"","error":"no such tool"}"#)
        )
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if event.kind == .turn { break }
        }
        #expect(ran.value == 1 && seen.all(.toolRan).map { $0.fields["result"] } == ["found"])
        let others = try await world.frames(admin, until: .turn)
        #expect(!others.contains { $0.type == .toolCall })
        #expect(others.contains { $0.type == .toolRan })
      }
    }

    @Test("R161 a call that the person does not allow is over, and the model is told so")
    func declined() async throws {
      try await RuleWorld.with(.simulated, settings()) { world in
        let session = try await session(world) { [runtime = world.runtime] _ in
          try await runtime.sleep(for: .seconds(20))
          return "too late"
        }
        let events = session.events()
        try await session.responses.create("Order it.")
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if let call = event.toolCall {
            try await session.decide(call.id, allowed: true)
            try await session.decide(call.id, allowed: false, summary: "too dear")
          }
          if event.kind == .turn { break }
        }
        #expect(
          seen.first(.toolRan)?.fields["error"] == "the person did not allow it: too dear")
        #expect(seen.words.contains("the person did not allow it: too dear"))
      }
    }

    @Test("R161 an open call is replayed to the one who can run it after a break")
    func replayed() async throws {
      try await RuleWorld.with(.simulated, settings()) { world in
        let created = try await world.send(
          .post, "/v1/agents/sessions",
          [
            "agent": "plain",
            "tools": [["name": "find_order", "description": "Finds an order"]],
          ])
        let id = try #require(created.json["id"]?.stringValue)
        // As a public client: the tools stand in the request that opened the session.
        let first = try await world.socket(id)
        await first.send(.text(#"{"type":"respond","text":"Where is it?"}"#))
        _ = try await world.frames(first, until: .toolCall)
        await first.close(code: 3999, reason: "dropped")
        let second = try await world.socket(
          id, query: [("replay_pending_tools", "true")])
        let call = try await world.frames(second, until: .toolCall).last
        let callID = try #require(call?["id"]?.stringValue)
        await second.send(
          .text(#"{"type":"tool_result","tool_call_id":"\#(callID)","output":"found"}"#))
        let frames = try await world.frames(second, until: .turn)
        #expect(frames.first { $0.type == .toolRan }?["result"] == "found")
      }
    }

    @Test(
      "R161 what a tool did after its turn was cut is known to the next answer, so nothing is done twice"
    )
    func lateResult() async throws {
      try await RuleWorld.with(.simulated, settings()) { world in
        let ordered = Shared(0)
        let session = try await session(world) { [runtime = world.runtime] _ in
          ordered.update { $0 += 1 }
          // The order is placed; its confirmation comes after the caller has interrupted.
          await withCheckedContinuation { continuation in
            runtime.after(.seconds(2)) { continuation.resume() }
          }
          return "order placed"
        }
        let events = session.events()
        let cut = try await session.responses.create("Order it.")
        try await world.runtime.sleep(for: .seconds(1))
        try await session.interrupt()
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if event.kind == .toolRan { break }
        }
        #expect(seen.first(.toolCancel) != nil)
        #expect(seen.last?.turnID == cut.id && seen.last?.fields["result"] == "order placed")
        try await session.responses.create("Did it work?")
        try await world.runtime.sleep(for: .milliseconds(30))
        let prompt = try #require(world.model.prompts.last?.messages)
        #expect(prompt.contains { $0.role == .tool && $0.content == "order placed" })
        #expect(ordered.value >= 1)
        let items = try await session.responses.items(responseID: cut.id).items
        #expect(items.last?.kind == .toolResult && items.last?.payload?["late"] == true)
      }
    }

    @Test(
      "R52 R134 R161 what a tool did is known after the session was closed, and to a fork of it",
      arguments: RuleWorld.Kind.allCases)
    func reopened(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind, settings()) { world in
        let session = try await session(world) { _ in "order placed" }
        try await world.ask(session, "Order it.")
        func told(_ messages: [ModelMessage]) -> [String] {
          messages.map { "\($0.role.rawValue): \($0.content)\($0.toolCalls.map(\.name))" }
        }
        await session.close()
        let past = [
          "system: Be plain.[]", "user: Order it.[]", #"assistant: ["find_order"]"#,
          "tool: order placed[]", "assistant: The tool says: order placed.[]",
        ]
        for again in [
          try await world.agents.attach(sessionID: session.id),
          try await world.agents.attach(
            sessionID: try await world.agents.sessions.fork(session.id).id),
        ] {
          let before = world.model.prompts.count
          try await world.ask(again, "And now?")
          #expect(
            told(world.model.prompts[before].messages) == past + ["user: And now?[]"])
          await again.close()
        }
      }
    }

    @Test(
      "R80 R85 R158 a skill is delegated work: working until it is settled",
      arguments: RuleWorld.Kind.allCases)
    func skill(_ kind: RuleWorld.Kind) async throws {
      let settings = settings { agent in
        var skill = SkillConfiguration(
          name: "research", description: "Looks things up", instructions: "Look it up.")
        skill.llm = "llm-thinking"
        agent.skills = [skill]
        agent.toolChoice = "research"
      }
      try await RuleWorld.with(kind, settings) { world in
        let session = try await world.agents.agent("plain").sessions.create()
        let events = try await world.ask(session, "Find out.")
        let states = events.all(.sessionState).map { event in
          [event.fields["state"]?.stringValue ?? ""]
            + (event.fields["skills"]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        #expect(
          states == [["responding"], ["working", "research"], ["responding"], ["idle"]])
        #expect(events.all(.responded).map(\.pendingWork) == [true, false])
        let delegated = try #require(events.first(.delegated))
        let settled = try #require(events.first(.taskSettled))
        #expect(delegated.fields["task_id"] == settled.fields["task_id"])
        #expect(delegated.fields["skill"] == "research" && settled.fields["error"] == "")
        #expect(settled.text.hasPrefix("I heard"))
        #expect(world.thinking.prompts.first?.messages.first?.content == "Look it up.")
        #expect(events.words.contains("The tool says: I heard"))
      }
    }

    @Test("R85 an interrupted skill is cancelled and nobody works any more")
    func cancelledSkill() async throws {
      let settings = settings { agent in
        var skill = SkillConfiguration(
          name: "research", description: "Looks things up", instructions: "Look it up.")
        skill.llm = "llm-thinking"
        agent.skills = [skill]
        agent.toolChoice = "research"
      }
      try await RuleWorld.with(.simulated, settings) { world in
        let session = try await world.agents.agent("plain").sessions.create()
        await session.start()
        let events = session.events()
        try await session.responses.create("Find out.")
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if event.kind == .delegated { try await session.interrupt() }
          if event.kind == .turn { break }
        }
        #expect(seen.first(.taskCancelled)?.fields["reason"] == "interrupted")
        #expect(seen.first(.taskSettled) == nil)
        try await world.runtime.sleep(for: .seconds(5))
        #expect(session.state == .idle)
      }
    }
  }
}
