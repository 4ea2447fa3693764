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

  /// A voice that tells where its words end is believed, also while the rest is still being made.
  @Test(arguments: [
    (0, ""), (249, ""), (250, "A"), (600, "A verylongword"), (900, "A verylongword b"),
  ])
  func wordsEndWhereTheVoiceSays(played: Int, expected: String) {
    var ledger = SpokenLedger(rate: 48_000)
    ledger.begin("A verylongword b c. ")
    ledger.append(samples: 24_000, rate: 24_000)
    ledger.setWordEnds([6_000, 12_000, 18_000, 24_000], rate: 24_000)
    #expect(ledger.heard(playedMilliseconds: played) == expected)
    #expect(ledger.heard(playedMilliseconds: 1_000) == "A verylongword b c.")
  }

  @Test func whatIsHandedOverIsNotAllThatIsSaid() {
    var ledger = SpokenLedger(rate: 24_000)
    ledger.begin("One two.")
    ledger.append(samples: 6_000)
    ledger.setWordEnds([6_000, 12_000], rate: 24_000)
    #expect(ledger.heard(playedMilliseconds: 250) == "One")
  }

  /// "5 km" is said in two words and written in two, "$5" in two and one.
  @Test func otherWordsThanWereWrittenAreCountedInProportion() {
    var ledger = SpokenLedger(rate: 24_000)
    ledger.begin("It costs $5 now.")
    ledger.append(samples: 30_000)
    ledger.setWordEnds([6_000, 12_000, 18_000, 24_000, 30_000], rate: 24_000)
    #expect(ledger.heard(playedMilliseconds: 500) == "It")
    #expect(ledger.heard(playedMilliseconds: 1_000) == "It costs $5")
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
