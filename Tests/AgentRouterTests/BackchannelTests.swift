import Testing

@testable import AgentRouter

struct BackchannelTests {
  @Test(arguments: ["Mm-hm.", "Uh huh", "Yeah, okay.", "I see.", "Right, right.", "OK"])
  func aListenersWordIsNoTurn(text: String) {
    #expect(Backchannel.isOne(text))
  }

  @Test(arguments: [
    "Stop.", "No.", "Yes", "Yeah, but why?", "Okay, thank you.", "", "...", "I", "Wait",
    "Right right right right right",
  ])
  func whateverMayBeMeantIsATurn(text: String) {
    #expect(!Backchannel.isOne(text))
  }
}
