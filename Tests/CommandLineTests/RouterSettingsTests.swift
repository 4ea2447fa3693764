import Testing

@testable import voice

struct RouterSettingsTests {
  private func settings(_ raw: [String]) throws(UsageError) -> RouterSettings {
    try RouterSettings(Arguments(raw, options: RouterCommand.options, command: "router"))
  }

  @Test func listenTakesHostAndPort() throws {
    let named = try settings(["--listen", "localhost:8080"])
    #expect(named.listen?.host == "localhost")
    #expect(named.listen?.port == 8_080)
    let numbered = try settings(["--listen", "[::1]:0"])
    #expect(numbered.listen?.host == "::1")
    #expect(numbered.listen?.port == 0)
  }

  @Test(arguments: ["8080", ":8080", "localhost", "localhost:", "localhost:70000", "localhost:-1"])
  func aListenAddressThatIsNoneIsShown(text: String) {
    #expect {
      try settings(["--listen", text])
    } throws: {
      ($0 as? UsageError)?.sentence.contains("--listen wants HOST:PORT, but got \"\(text)\"")
        == true
    }
  }

  @Test func aModelElsewhereNeedsItsNameAndItsPlace() {
    #expect(throws: UsageError.self) { try settings(["--model-url", "http://localhost:11434/v1"]) }
    #expect(throws: UsageError.self) { try settings(["--model", "qwen"]) }
    #expect(throws: Never.self) {
      try settings(["--model-url", "http://localhost:11434/v1", "--model", "qwen"])
    }
  }
}
