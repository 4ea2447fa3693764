import AgentRouter
import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct ChannelRules {
    @Test(
      "R8 R9 R11 R12 the session's channel holds what was asked and answered",
      arguments: RuleWorld.Kind.allCases)
    func channel(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "Where is order 1042?")
        let chat = try await session.chat()
        #expect(chat.cid == "agent:myagent-\(session.id)")
        #expect(chat.cid == session.session.conversationID)
        #expect(
          chat.messages.map(\.text) == ["Where is order 1042?", "I heard Where is order 1042?."])
        #expect(chat.messages.map(\.isSentByAgent) == [false, true])
        #expect(chat.messages.map(\.userID) == ["jlahey", "myagent"])
        // It follows by itself.
        try await world.ask(session, "And now?")
        await world.shown("the second answer") {
          chat.messages.last?.text == "I heard And now?."
        }
        #expect(chat.messages.count == 4)
      }
    }

    @Test(
      "R10 the agent does not answer a message sent to the channel",
      arguments: RuleWorld.Kind.allCases)
    func unanswered(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let chat = try await session.chat()
        try await chat.sendMessage("Is anybody there?")
        try await world.ask(session, "hello")
        #expect(world.model.prompts.count == 1)
        #expect(!world.model.prompts[0].messages.contains { $0.content.contains("anybody") })
        #expect(try await session.responses.list().items.count == 1)
        try await chat.synchronize()
        #expect(chat.messages.map(\.text) == ["Is anybody there?", "hello", "I heard hello."])
      }
    }

    @Test(
      "R13 R73 R74 chat opens on the client handed over, which must be the same user's and stays open",
      arguments: RuleWorld.Kind.allCases)
    func handedOver(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let asked = Shared(0)
        func client(_ user: String) -> ChatClient {
          ChatClient(
            apiKey: "your_api_key", user: User(id: user), url: world.url,
            environment: world.sdkEnvironment
          ) {
            asked.update { $0 += 1 }
            return RuleWorld.token(user)
          }
        }
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        world.agents.use(client("jlahey"))
        #expect(try await session.chat().messages.count == 2)
        #expect(asked.value == 1, "the client handed over was asked")
        await session.close()
        world.agents.use(client("anna"))
        do {
          _ = try await session.chat()
          Issue.record("somebody else's client was used")
        } catch AgentsError.configuration(let sentence) {
          #expect(sentence.contains("anna") && sentence.contains("jlahey"))
        }
      }
    }

    @Test(
      "R89 a reply streams into the transcript with its markdown, after the agent was seen thinking"
    )
    func streaming() async throws {
      let reply =
        "**Paris** is the _capital_ of France:\n\n"
        + (1...60).map { "- point \($0)" }.joined(separator: " \n")
      try await RuleWorld.with(.simulated, RuleWorld.Settings(answers: ["hello": reply])) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let chat = try await session.chat()
        let seen = Shared<[ChatMessage]>([])
        let changes = chat.changes()
        let watching = Task { @MainActor in
          for await messages in changes {
            guard let last = messages.last, last.isSentByAgent else { continue }
            seen.update { $0.append(last) }
          }
        }
        let said = try await world.ask(session, "hello").words
        await world.shown("the whole reply") {
          chat.messages.last?.extraData["generating"] == false
        }
        await session.close()
        await watching.value
        #expect(seen.value.first?.isThinking == true, "nothing was shown of the thinking")
        #expect(Set(seen.value.map(\.id)).count == 1, "one message, written over")
        let parts = seen.value.filter { $0.extraData["generating"] == true && !$0.text.isEmpty }
        #expect(parts.count >= 3 && parts.allSatisfy { said.hasPrefix($0.text) })
        #expect(parts.map(\.text.count) == parts.map(\.text.count).sorted())
        let whole = try #require(seen.value.last)
        #expect(whole.text == said && said.hasPrefix("**Paris** is the _capital_"))
        #expect(!whole.isThinking && whole.extraData["generating"] == false)
        // Who comes later reads the same.
        try await chat.synchronize()
        #expect(chat.messages.last == whole)
      }
    }

    @Test("R89 a reply that a dead router left behind is over, and nothing of it is shown")
    func abandoned() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        _ = try await session.responses.create("one two three four five six")
        try await world.runtime.sleep(for: .milliseconds(75))
        func reply() async throws -> SessionsModel.JSONValue? {
          try await world.send(.get, "/v1/agents/sessions/\(session.id)/channel/messages")
            .json["items"]?[1]
        }
        #expect(try await reply()?["extra"]?["generating"] == true)
        // A second router finds the store as the first one would have left it.
        try await SessionRecovery.run(world.environment)
        let left = try #require(try await reply())
        #expect(left["extra"]?["generating"] == false && left["extra"]?["interrupted"] == true)
        #expect(left["text"] == "")
      }
    }

    @Test("R96 R97 a reply that was cut has the custom fields and is left out when it is empty")
    func customFields() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        try await session.responses.create("one two three four five six")
        try await world.runtime.sleep(for: .milliseconds(90))
        try await session.interrupt()
        for await event in events where event.kind == .turn { break }
        try await session.responses.create("again")
        try await session.interrupt()
        for await event in events where event.kind == .turn { break }
        let chat = try await session.chat()
        let replies = chat.messages.filter(\.isSentByAgent)
        #expect(replies.first?.extraData["interrupted"] == true)
        #expect(replies.first?.extraData["generating"] == false)
        #expect(replies.first?.extraData["spoken"] == false)
        #expect(replies.first?.text.isEmpty == false && replies.first?.hasNothingToShow == false)
        #expect(replies.dropFirst().allSatisfy { $0.text.isEmpty && $0.hasNothingToShow })
      }
    }

    @Test("R8 a session of an agent without channels has none", arguments: RuleWorld.Kind.allCases)
    func channelless(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agents.agent("plain").sessions.create()
        #expect(session.session.conversationID == "")
        let none = await failure { _ = try await session.chat() }
        #expect(none?.status == 404 && none?.code == "channel_not_found")
      }
    }
  }
}
