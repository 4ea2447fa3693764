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
  /// What the router writes by itself: titles, reviews, costs, memories.
  @MainActor struct RouterWritesRules {
    private func name(_ world: RuleWorld, _ session: AgentSession, _ title: String) async throws {
      try await world.until("the title \(title)") {
        try await world.agents.sessions.get(session.id).title == title
      }
    }

    @Test(
      "R14 R39 R43 R46 a title is written after the first answer and over that of create",
      arguments: RuleWorld.Kind.allCases)
    func title(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.title = "My own"
        let session = try await world.agent.sessions.create(options)
        try await world.ask(session, "Where is order 1042?")
        try await name(world, session, "Where Order 1042 Is")
        let read = try await world.agents.sessions.get(session.id)
        #expect(read.description == "The user asks.")
        await world.shown("the title on the live session") {
          session.title == "Where Order 1042 Is"
        }
        let form = try #require(world.model.filledForms.first)
        #expect(
          form.messages.last?.content.hasPrefix("user: Where is order 1042?\nassistant: ") == true)
      }
    }

    @Test("R39 it is written again after every third answer: 1, 4, 7")
    func everyThird() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        var named: [Int] = []
        for number in 1...7 {
          try await world.ask(session, "question \(number)")
          let before = world.model.filledForms.count
          try await world.runtime.sleep(for: .seconds(1))
          _ = before
          named.append(world.model.filledForms.count)
        }
        #expect(named == [1, 1, 1, 2, 2, 2, 3])
      }
    }

    @Test(
      "R43 once set with update the router stops renaming, title and description each",
      arguments: RuleWorld.Kind.allCases)
    func frozen(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await session.update(title: "Pricing")
        try await world.ask(session, "hello")
        try await world.until("the description") {
          try await world.agents.sessions.get(session.id).description == "The user asks."
        }
        #expect(try await world.agents.sessions.get(session.id).title == "Pricing")
        // Both set: the model is not even asked.
        let other = try await world.agent.sessions.create()
        try await other.update(title: "a", description: "b")
        let before = world.model.filledForms.count
        try await world.ask(other, "hello")
        try await world.ask(other, "and more")
        #expect(world.model.filledForms.count == before)
      }
    }

    @Test("R42 R2 a title has at most eight words, a description one sentence, no emoji is cut")
    func form() async throws {
      let family = "👨‍👩‍👧‍👦"
      let title = "“One two three four five six seven \(family)\(family) nine ten.”"
      let forms: [ModelForm.Name: String] = [
        .nameConversation: SessionsModel.JSONValue.object([
          "title": .string(title),
          "description": .string(
            "Asks about v2.5 of it, " + String(repeating: family, count: 90) + ". And more. Yes."),
        ]).serializedText
      ]
      try await RuleWorld.with(.simulated, RuleWorld.Settings(forms: forms)) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        try await world.runtime.sleep(for: .seconds(1))
        let read = try await world.agents.sessions.get(session.id)
        #expect(read.title == "One two three four five six seven \(family)\(family)")
        #expect(read.description.hasPrefix("Asks about v2.5 of it, "))
        #expect(read.description.unicodeScalars.count <= 280)
        #expect(read.description.dropFirst(23).allSatisfy { String($0) == family })
      }
    }

    @Test("R39 a form filled in wrongly twice names nothing and is logged once")
    func wrongForm() async throws {
      let forms: [ModelForm.Name: String] = [.nameConversation: #"{"titel":"x"}"#]
      try await RuleWorld.with(.simulated, RuleWorld.Settings(forms: forms)) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        try await world.runtime.sleep(for: .seconds(1))
        #expect(world.model.filledForms.count == 2)
        #expect(world.logged.value.count == 1)
        #expect(try await world.agents.sessions.get(session.id).title == "")
      }
    }

    @Test("R39 R40 the fast and the good model of the routes are asked where they are configured")
    func routes() async throws {
      try await RuleWorld.with(
        .simulated, RuleWorld.Settings(), routes: ["llm-fast": "llm-thinking"]
      ) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        try await world.runtime.sleep(for: .seconds(1))
        #expect(world.thinking.filledForms.count >= 1 && world.model.filledForms.isEmpty)
        await session.close()
        try await world.pass(.seconds(20))
        #expect(world.model.filledForms.map { $0.tools[0].name } == ["review_conversation"])
      }
    }

    @Test(
      "R40 R41 R106 R112 R113 R114 R116 once ended the backend is told the review and the cost, a device is not"
    )
    func review() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "Where is order 1042?")
        try await world.runtime.sleep(for: .seconds(1))
        #expect(try await world.backend.sessions.get(session.id).usage == nil, "it runs")
        await session.close()
        let ended = try await world.backend.sessions.get(session.id)
        let usage = try #require(ended.usage)
        // One answer: a system and a user message in, seven pieces out; and the title.
        #expect(usage.requests == 2 && usage.outputTokens >= 7)
        #expect(usage.costMicros == usage.inputTokens * 2 + usage.outputTokens * 10)
        #expect(ended.reviewScore == nil, "it comes a few seconds later")
        try await world.pass(.seconds(10))
        let reviewed = try await world.backend.sessions.get(session.id)
        #expect(reviewed.reviewScore == 4 && reviewed.reviewNotes == "It was answered at once.")
        #expect((reviewed.usage?.requests ?? 0) > usage.requests, "the review's own cost counts")
        let device = try await world.agents.sessions.get(session.id)
        #expect(device.reviewScore == nil && device.reviewNotes == nil && device.usage == nil)
        let listed = try await world.agents.sessions.query().items[0]
        #expect(listed.usage == nil && listed.reviewScore == nil)
        #expect(try await world.backend.sessions.query().items[0].reviewScore == 4)
      }
    }

    @Test("R40 a long conversation is reviewed whole, in parts")
    func longReview() async throws {
      var forms = RuleWorld.forms
      forms[.summarizePart] = #"{"summary":"They went on about it."}"#
      try await RuleWorld.with(.simulated, RuleWorld.Settings(forms: forms)) { world in
        let session = try await world.agents.agent("plain").sessions.create()
        for number in 1...4 {
          try await world.ask(session, "\(number) " + String(repeating: "word ", count: 900))
        }
        await session.close()
        try await world.pass(.seconds(60))
        let asked = world.model.filledForms.map { $0.tools[0].name }
        #expect(asked.filter { $0 == "summarize_part" }.count >= 3)
        #expect(asked.last == "review_conversation")
        #expect(try await world.backend.sessions.get(session.id).reviewScore == 4)
      }
    }

    @Test("R40 a score outside 1 to 5 is no review")
    func wrongScore() async throws {
      var forms = RuleWorld.forms
      forms[.reviewConversation] = #"{"score":6,"notes":"Splendid."}"#
      try await RuleWorld.with(.simulated, RuleWorld.Settings(forms: forms)) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        await session.close()
        try await world.pass(.seconds(10))
        #expect(try await world.backend.sessions.get(session.id).reviewScore == nil)
      }
    }

    @Test("R45 R115 a session nobody spoke in gets no review; a say does not count")
    func silent() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        try await session.say("Hi, I can help with your order.")
        for await event in events where event.kind == .turn { break }
        await session.close()
        try await world.pass(.seconds(10))
        #expect(world.model.filledForms.isEmpty)
        #expect(try await world.backend.sessions.get(session.id).reviewScore == nil)
      }
    }

    @Test("R40 reopening cancels a pending review; an end after a new question replaces it")
    func reviewedAgain() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        try await world.runtime.sleep(for: .seconds(1))
        await session.close()
        let again = try await world.agents.attach(sessionID: session.id)
        await again.start()
        try await world.pass(.seconds(10))
        #expect(try await world.backend.sessions.get(session.id).state == .live)
        let before = world.model.filledForms.count
        await again.close()
        try await world.pass(.seconds(10))
        #expect(try await world.backend.sessions.get(session.id).reviewScore == 4)
        let reviews = world.model.filledForms.count
        #expect(reviews > before)
        // Opened and closed without a word: the review stands.
        let third = try await world.agents.attach(sessionID: session.id)
        await third.start()
        await third.close()
        try await world.pass(.seconds(10))
        #expect(world.model.filledForms.count == reviews)
        #expect(try await world.backend.sessions.get(session.id).reviewScore == 4)
      }
    }

    @Test("R40 a review that a router had no time for is made up for at the next start")
    func reviewAfterRestart() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        try await world.runtime.sleep(for: .seconds(1))
        let silent = try await world.agent.sessions.create()
        await session.close()
        await silent.close()
        // The router stops within the few seconds.
        await world.directory.endAll(reason: "the router stops")
        try await world.pass(.seconds(20))
        #expect(try await world.backend.sessions.get(session.id).reviewScore == nil)
        let next = try await RuleWorld.second(world)
        await next.directory.catchUpOnLookBacks()
        try await world.pass(.seconds(20))
        #expect(try await world.backend.sessions.get(session.id).reviewScore == 4)
        // Once: the start after that finds nothing to do.
        let asked = world.model.filledForms.count
        let third = try await RuleWorld.second(world)
        await third.directory.catchUpOnLookBacks()
        try await world.pass(.seconds(20))
        #expect(world.model.filledForms.count == asked)
        #expect(try await world.store.sessionsToLookBackOn(limit: 10).isEmpty)
      }
    }

    @Test(
      "R31 R41 costs are seen by user, agent and any tag, and outlive the session",
      arguments: RuleWorld.Kind.allCases)
    func costs(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.projectID = "support"
        let mine = try await world.agent.sessions.create(options)
        try await world.ask(mine, "hello")
        try await world.until("the title") {
          try await world.agents.sessions.get(mine.id).title != ""
        }
        await mine.close()
        var secret = SessionOptions(agent: "plain")
        secret.incognito = true
        secret.tags = ["customer_id": "123"]
        let hers = try await world.annas.sessions.create(secret)
        try await world.ask(hers, "hello")
        await hers.close()
        let usage = try #require(try await world.backend.sessions.get(mine.id).usage)
        try await world.agents.sessions.delete(mine.id)
        func by(_ group: String) async throws -> [String: SessionsModel.JSONValue] {
          let answer = try await world.send(
            .get, "/v1/agents/usage", as: nil, query: [("group_by", group)])
          #expect(answer.status == 200)
          let items = answer.json["items"]?.arrayValue ?? []
          return Dictionary(items.map { ($0["key"]?.stringValue ?? "?", $0) }) { first, _ in first }
        }
        let users = try await by("user")
        #expect(Set(users.keys) == ["jlahey", "anna"])
        #expect((users["jlahey"]?["cost_micros"]?.intValue ?? 0) >= usage.costMicros)
        #expect(users["jlahey"]?["messages"] == 1 && users["anna"]?["requests"] == 1)
        #expect(Set(try await by("agent").keys) == ["myagent", "plain"])
        #expect(Set(try await by("project").keys) == ["support", ""])
        #expect(try await by("tag:customer_id")["123"]?["messages"] == 1, "incognito costs too")
        let all = try await by("")
        #expect(all[""]?["messages"] == 2)
        let wrong = try await world.send(
          .get, "/v1/agents/usage", as: nil, query: [("group_by", "weather")])
        #expect(wrong.status == 400)
        #expect(try await world.send(.get, "/v1/agents/usage").code == "server_only")
        let later = try await world.send(
          .get, "/v1/agents/usage", as: nil, query: [("since", "2100-01-01T00:00:00Z")])
        #expect(later.json["items"]?.arrayValue?.isEmpty == true)
      }
    }

    @Test(
      "R54 R55 R57 what a session taught reaches the next one, and goes with it or when forgotten")
    func memory() async throws {
      try await RuleWorld.with { world in
        func talk(_ text: String) async throws -> AgentSession {
          let session = try await world.agent.sessions.create()
          try await world.ask(session, text)
          return session
        }
        func system() -> String { world.model.prompts.last?.messages.first?.content ?? "" }
        let fact = "The user waits for order 1042."
        let first = try await talk("hello")
        #expect(system() == "Be brief.")
        await first.close()
        try await world.pass(.seconds(10))
        let second = try await talk("again")
        #expect(system().hasPrefix("Be brief.\n") && system().hasSuffix("\n- \(fact)"))
        let memories = try await world.send(
          .get, "/v1/agents/sessions/\(first.id)/memories", as: nil)
        #expect(memories.json["items"]?[0]?["text"]?.stringValue == fact)
        #expect(
          try await world.send(.get, "/v1/agents/sessions/\(first.id)/memories").code
            == "server_only")
        await second.close()
        try await world.pass(.seconds(10))
        // Forgetting keeps the session; the other session's memories stay.
        try await world.backend.sessions.forget(first.id)
        #expect(try await world.agents.sessions.get(first.id).state == .ended)
        let third = try await talk("and again")
        #expect(
          system().components(separatedBy: fact).count == 2, "the second one's memory is left")
        await third.close()
        try await world.pass(.seconds(10))
        try await world.agents.sessions.delete(second.id)
        try await world.agents.sessions.delete(third.id)
        let fourth = try await talk("last")
        #expect(system() == "Be brief.")
        await fourth.close()
        // Somebody else, and another agent, never hear of it.
        let hers = try await world.annas.agent("myagent").sessions.create()
        try await world.ask(hers, "hello")
        #expect(system() == "Be brief.")
      }
    }
  }
}
