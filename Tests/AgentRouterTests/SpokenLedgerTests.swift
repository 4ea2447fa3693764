import Testing

@testable import AgentRouter

@Suite struct SpokenLedgerTests {
  /// Two pieces of 1 s each.
  private func ledger() -> SpokenLedger {
    var ledger = SpokenLedger(rate: 24_000)
    ledger.begin("Paris is the capital. ")
    ledger.append(samples: 24_000)
    ledger.begin("It lies on the Seine.")
    ledger.append(samples: 12_000)
    ledger.append(samples: 12_000)
    return ledger
  }

  @Test(arguments: [
    (0, ""), (250, ""), (290, "Paris"), (400, "Paris is"), (1_000, "Paris is the capital."),
    (1_130, "Paris is the capital. It"), (2_000, "Paris is the capital. It lies on the Seine."),
    (9_000, "Paris is the capital. It lies on the Seine."),
  ])
  func heardIsWhatEndedBeforeTheCut(played: Int, expected: String) {
    #expect(ledger().heard(playedMilliseconds: played) == expected)
  }

  @Test func anApologyIsNoPartOfWhatWasHeard() {
    var ledger = ledger()
    ledger.begin("")
    ledger.append(samples: 48_000)
    #expect(ledger.milliseconds == 4_000)
    #expect(
      ledger.heard(playedMilliseconds: 4_000) == "Paris is the capital. It lies on the Seine.")
  }
}
