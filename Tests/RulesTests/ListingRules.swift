import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct ListingRules {
    private func create(
      _ world: RuleWorld, _ id: String, in agents: VisionAgents? = nil,
      _ change: (inout SessionOptions) -> Void = { _ in }
    ) async throws -> AgentSession {
      var options = SessionOptions(agent: "myagent")
      options.id = id
      change(&options)
      return try await (agents ?? world.agents).sessions.create(options)
    }

    @Test(
      "R103 R105 R108 R110 R111 R126 running and ended sessions are listed and read as records",
      arguments: RuleWorld.Kind.allCases)
    func records(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let running = try await create(world, "running") {
          $0.modelOverwrites = ModelOverwrites(llm: "llm-thinking")
        }
        try await world.ask(running, "hello")
        let ended = try await create(world, "ended")
        await ended.close()
        let listed = try await world.agent.sessions.query().items
        #expect(Set(listed.map(\.id)) == ["running", "ended"])
        let live = try await world.agents.sessions.get("running")
        #expect(live.state == .live && live.llm == "llm-thinking" && live.closedAt == nil)
        let answered = try #require(live.lastResponseAt)
        #expect(live.createdAt <= answered)
        let over = try await world.agents.sessions.get("ended")
        #expect(over.state == .ended && over.llm == nil && over.lastResponseAt == nil)
        #expect(try #require(over.closedAt) >= over.createdAt)
        #expect(over.modality == .text)
      }
    }

    @Test(
      "R104 R117 R118 R119 every condition of the filter has to match",
      arguments: RuleWorld.Kind.allCases)
    func filter(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let one = try await create(world, "one") {
          $0.projectID = "support"
          $0.custom = ["ticket": "4721", "n": 1]
        }
        await one.close()
        _ = try await create(world, "two") { $0.projectID = "support" }
        _ = try await create(world, "three", in: world.annas) { $0.custom = ["ticket": "4721"] }
        func found(_ change: (inout SessionQuery) -> Void) async throws -> Set<String> {
          var query = SessionQuery(limit: 20)
          change(&query)
          return Set(try await world.backend.agent("myagent").sessions.query(query).items.map(\.id))
        }
        #expect(try await found { $0.projectID = "support" } == ["one", "two"])
        #expect(
          try await found {
            $0.projectID = "support"
            $0.state = .ended
          } == ["one"])
        #expect(try await found { $0.custom = ["ticket": "4721"] } == ["one", "three"])
        #expect(try await found { $0.custom = ["n": "1"] } == [], "a number is no such label")
        #expect(try await found { $0.userID = "anna" } == ["three"], "R164")
        #expect(try await found { $0.agentID = "plain" } == [])
        #expect(try await found { $0.modality = .voice } == [])
        #expect(try await found { $0.modality = .text }.count == 3)
        #expect(try await found { $0.createdSince = Date.distantFuture } == [])
        #expect(try await found { $0.createdBefore = Date(timeIntervalSince1970: 0) } == [])
        #expect(try await found { $0.createdSince = Date(timeIntervalSince1970: 0) }.count == 3)
        let equal = try await world.send(
          .post, "/v1/agents/sessions/query", ["filter": ["state": ["$eq": "ended"]]], as: nil)
        #expect(equal.json["items"]?.arrayValue?.count == 1)
        let unknown = try await world.send(
          .post, "/v1/agents/sessions/query", ["filter": ["colour": "red"]])
        #expect(unknown.status == 400 && unknown.code == "unknown_field")
      }
    }

    @Test("R120 most recently active first", arguments: RuleWorld.Kind.allCases)
    func order(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let first = try await create(world, "first")
        try await world.runtime.sleep(for: .milliseconds(5))
        let second = try await create(world, "second")
        try await world.runtime.sleep(for: .milliseconds(5))
        try await world.ask(first, "hello")
        // The answer is told before it is on the disk; a list that is asked for then has it.
        #expect(try await world.agent.sessions.query().items.map(\.id) == ["first", "second"])
        // Every time, whatever the disk is at.
        for number in 1...20 {
          let last = number.isMultiple(of: 2) ? first : second
          try await world.ask(last, "question \(number)")
          #expect(try await world.agent.sessions.query().items.first?.id == last.id)
          try await world.runtime.sleep(for: .milliseconds(2))
        }
      }
    }

    @Test(
      "R20 R121 R122 R124 R125 search finds title, description, project and agent, best match first",
      arguments: RuleWorld.Kind.allCases)
    func search(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let exact = try await create(world, "exact") { $0.title = "Order 1042" }
        try await exact.update(title: "Order 1042")
        for (id, title, description, project) in [
          ("longer", "About the late order 1042 from Köln", "", nil),
          ("described", "Parcels", "It is about order number 1042.", nil),
          ("project", "Parcels", "order", "p-1042"), ("other", "Order 7", "Another", nil),
        ] as [(String, String, String, String?)] {
          _ = try await create(world, id) {
            $0.title = title
            $0.description = description
            $0.projectID = project
          }
        }
        let said = try await create(world, "said")
        try await said.update(title: "Parcels", description: "d")
        try await world.ask(said, "Where is order 1042 anyway?")
        let found = try await world.agent.sessions.search("order 1042").items.map(\.id)
        #expect(found == ["exact", "longer", "project", "described"])
        #expect(try await world.agent.sessions.search("KOLN").items.map(\.id) == ["longer"])
        #expect(try await world.agent.sessions.search("parc*").items.count == 3)
        #expect(try await world.agent.sessions.search("parc").items.isEmpty, "whole words")
        #expect(try await world.agent.sessions.search("myagent 1042").items.count == 4)
        #expect(try await world.agent.sessions.search("order-1042").items.map(\.id) == found)
        #expect(try await world.agent.sessions.search("anyway").items.isEmpty, "not what was said")
        #expect(try await world.agent.sessions.search("🚚").items.isEmpty)
        var ended = SessionQuery(limit: 5)
        ended.state = .ended
        #expect(try await world.agent.sessions.search("order 1042", ended).items.isEmpty)
        await exact.close()
        #expect(
          try await world.agent.sessions.search("order 1042", ended).items.map(\.id) == ["exact"])
        // The same by the query's own text.
        var query = SessionQuery(limit: 2)
        query.text = "order 1042"
        let page = try await world.agent.sessions.query(query)
        #expect(page.items.map(\.id) == ["exact", "longer"] && page.hasMore)
        query.cursor = page.nextCursor
        #expect(
          try await world.agent.sessions.query(query).items.map(\.id) == ["project", "described"])
        // A new title is found at once, the old one no more.
        try await said.update(title: "Weather")
        #expect(try await world.agent.sessions.search("weather").items.map(\.id) == ["said"])
        try await world.agents.sessions.delete("longer")
        #expect(try await world.agent.sessions.search("late").items.isEmpty)
      }
    }

    @Test("R123 text cannot be combined with project_id", arguments: RuleWorld.Kind.allCases)
    func textWithProject(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var query = SessionQuery()
        query.projectID = "support"
        let refused = await failure { _ = try await world.agent.sessions.search("x", query) }
        #expect(refused?.status == 400 && refused?.code == "text_with_project")
      }
    }

    @Test(
      "R127 R128 R131 R132 turns and items are read by id, page by page or all",
      arguments: RuleWorld.Kind.allCases)
    func turns(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await create(world, "one")
        for number in 1...5 { try await world.ask(session, "question \(number)") }
        await session.close()
        let responses = world.agents.sessions.responses("one")
        var seen: [String] = []
        var cursor: String?
        repeat {
          let page = try await responses.list(limit: 2, cursor: cursor)
          seen += page.items.map(\.said)
          cursor = page.hasMore ? page.nextCursor : nil
        } while cursor != nil
        #expect(seen == (1...5).map { "question \($0)" })
        let all = try await responses.items.all()
        #expect(all.map(\.kind) == Array(repeating: [.said, .answer], count: 5).flatMap { $0 })
        var unwound: [String] = []
        for try await item in responses.items.unwind() { unwound.append(item.text) }
        #expect(unwound == all.map(\.text))
        let first = try await responses.items(responseID: all[0].responseID)
        #expect(first.items.map(\.text) == ["question 1", "I heard question 1."])
        let wrong = await failure { _ = try await responses.list(limit: 201) }
        #expect(wrong?.status == 400 && wrong?.code == "limit_out_of_range")
      }
    }

    @Test(
      "R129 R130 R133 pages of 25, up to 200, and a cursor for its own query",
      arguments: RuleWorld.Kind.allCases)
    func pages(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        for number in 1...30 {
          let record = SessionRecord(
            app: "your_api_key", id: "s\(number)",
            owner: SessionOwner(kind: .user, userID: "jlahey"), agent: "myagent",
            agentID: "myagent",
            createdAt: Date(timeIntervalSince1970: Double(number)))
          try await world.store.commit([.create(record)])
        }
        let page = try await world.agent.sessions.query()
        #expect(page.items.count == 25 && page.hasMore)
        var query = SessionQuery()
        query.cursor = page.nextCursor
        let rest = try await world.agent.sessions.query(query)
        #expect(rest.items.map(\.id) == ["s5", "s4", "s3", "s2", "s1"])
        #expect(!rest.hasMore && rest.nextCursor == nil)
        #expect(try await world.agent.sessions.query(SessionQuery(limit: 200)).items.count == 30)
        for limit in [0, 201, -1] {
          let refused = await failure {
            _ = try await world.agent.sessions.query(SessionQuery(limit: limit))
          }
          #expect(refused?.status == 400 && refused?.code == "limit_out_of_range")
        }
        query.state = .ended
        #expect(
          await failure { _ = try await world.agent.sessions.query(query) }?.code
            == "invalid_cursor")
        query.state = nil
        query.cursor = "nonsense"
        #expect(
          await failure { _ = try await world.agent.sessions.query(query) }?.code
            == "invalid_cursor")
      }
    }

    @Test(
      "R130 while others write and delete, what was there throughout appears exactly once",
      arguments: RuleWorld.Kind.allCases)
    func pagingWhileWriting(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        func record(_ number: Int, _ name: String) -> SessionRecord {
          SessionRecord(
            app: "your_api_key", id: "\(name)\(number)",
            owner: SessionOwner(kind: .user, userID: "jlahey"), agent: "myagent",
            agentID: "myagent",
            createdAt: Date(timeIntervalSince1970: Double(number * 2 + (name == "gone" ? 1 : 0))))
        }
        for number in 1...100 {
          try await world.store.commit([
            .create(record(number, "stays")), .create(record(number, "gone")),
          ])
        }
        var seen: [String] = []
        var query = SessionQuery(limit: 10)
        var deleted = 0
        while true {
          let page = try await world.agent.sessions.query(query)
          seen += page.items.map(\.id)
          // Sessions come and go between the pages, the one the cursor stands on too.
          for _ in 1...5 where deleted < 100 {
            deleted += 1
            try await world.store.commit([
              .delete(record(deleted, "gone").key),
              .create(record(10_000 + deleted, "new")),
            ])
          }
          if let last = page.items.last, last.id.hasPrefix("gone") {
            try await world.agents.sessions.delete(last.id)
          }
          guard page.hasMore, let cursor = page.nextCursor else { break }
          query.cursor = cursor
        }
        let stayed = seen.filter { $0.hasPrefix("stays") }
        #expect(stayed.count == 100 && Set(stayed).count == 100)
        #expect(Set(seen).count == seen.count)
      }
    }

    @Test(
      "R163 R164 a device reads its own sessions only, whatever it asks; the backend reads all",
      arguments: RuleWorld.Kind.allCases)
    func owners(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        _ = try await create(world, "mine") { $0.title = "Order" }
        _ = try await create(world, "hers", in: world.annas) { $0.title = "Order" }
        var query = SessionQuery()
        query.userID = "anna"
        #expect(try await world.agent.sessions.query(query).items.map(\.id) == ["mine"])
        #expect(try await world.agent.sessions.search("order", query).items.map(\.id) == ["mine"])
        #expect(try await world.backend.sessions.query(query).items.map(\.id) == ["hers"])
        #expect(Set(try await world.backend.sessions.query().items.map(\.id)) == ["mine", "hers"])
        #expect(
          Set(try await world.backend.sessions.search("order").items.map(\.id)) == ["mine", "hers"])
        for (method, path) in [
          (HTTPRequest.Method.get, ""), (.patch, ""), (.delete, ""), (.post, "/stop"),
          (.post, "/voice"), (.delete, "/voice"), (.get, "/responses"), (.get, "/responses/items"),
          (.get, "/channel"), (.post, "/fork"), (.get, "/channel/messages"),
        ] {
          for id in ["hers", "nobodys"] {
            let answer = try await world.send(method, "/v1/agents/sessions/\(id)\(path)")
            #expect(answer.status == 404 && answer.code == "session_not_found", "\(method) \(path)")
          }
        }
        let rewind = try await world.send(
          .post, "/v1/agents/sessions/hers/rewind", ["response_id": "x"])
        #expect(rewind.status == 404 && rewind.code == "session_not_found")
        #expect(try await world.annas.sessions.get("hers").state == .live)
        let guest = Token.mint(
          TokenClaims(userID: "jlahey", role: "guest"), secret: RuleWorld.secret)
        let anonymous = try await world.send(
          .get, "/v1/agents/sessions/mine", headers: ["Authorization": "Bearer \(guest)"])
        #expect(anonymous.status == 404, "a name nobody vouches for is another owner")
      }
    }
  }
}
