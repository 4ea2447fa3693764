import SessionsModel
import Testing

/// Scripts of frames and the state after each.
@Suite struct ConversationTests {
  private static func frame(_ type: FrameType, turn: String? = nil) -> Frame {
    Frame(type, turn.map { ["turn_id": .string($0)] } ?? [:])
  }

  private static let deviceJoined = Frame(.participantJoined, ["participant": ["id": "d1"]])
  private static let deviceLeft = Frame(.participantLeft, ["participant": ["id": "d1"]])
  private static let pending = Frame(.responded, ["turn_id": "t1", "pending_work": true])

  private func check(
    _ script: [(Frame, ConversationState)], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var conversation = Conversation()
    for (index, (frame, expected)) in script.enumerated() {
      let before = conversation.state
      let changed = conversation.apply(frame)
      #expect(
        conversation.state == expected, "step \(index): \(frame.text)",
        sourceLocation: sourceLocation)
      #expect(changed == (before != expected), sourceLocation: sourceLocation)
    }
  }

  /// R85.
  @Test func aWrittenAnswerEndsWithResponded() {
    check([
      (Self.frame(.joined), .idle),
      (Self.frame(.responding, turn: "t1"), .responding),
      (Self.frame(.responseDelta, turn: "t1"), .responding),
      (Self.frame(.responded, turn: "t1"), .idle),
    ])
  }

  @Test func aSpokenAnswerEndsWhenItWasHeard() {
    check([
      (Self.deviceJoined, .idle),
      (Self.frame(.hearing), .listening),
      (Self.frame(.heard), .listening),
      (Self.frame(.responding, turn: "t1"), .responding),
      (Self.frame(.responded, turn: "t1"), .responding),
      (Self.frame(.spoke, turn: "t1"), .responding),
      (Self.frame(.heardOut, turn: "t1"), .idle),
    ])
  }

  @Test func aSpokenAnswerEndsAlsoWhenItIsInterruptedOrTheLastDeviceLeaves() {
    check([
      (Self.deviceJoined, .idle),
      (Self.frame(.responding, turn: "t1"), .responding),
      (Self.frame(.responded, turn: "t1"), .responding),
      (Self.frame(.interrupted, turn: "t1"), .idle),
      (Self.frame(.responding, turn: "t2"), .responding),
      (Self.frame(.responded, turn: "t2"), .responding),
      (Self.deviceLeft, .idle),
    ])
  }

  @Test func aSpokenAnswerThatNobodyReportsAsHeardEndsWithItsTimings() {
    check([
      (Self.deviceJoined, .idle),
      (Self.frame(.responding, turn: "t1"), .responding),
      (Self.frame(.responded, turn: "t1"), .responding),
      (Self.frame(.turn, turn: "t1"), .idle),
    ])
  }

  @Test func whatIsOnlyWaitedForOrIgnoredLeavesListening() {
    for kind in ["wait", "ignore", "backchannel"] {
      check([
        (Self.frame(.heard), .listening),
        (Frame(.decision, ["kind": .string(kind)]), .idle),
      ])
    }
    check([
      (Self.frame(.heard), .listening), (Frame(.decision, ["kind": "answer"]), .listening),
    ])
  }

  /// R80, R85.
  @Test func skillsAtWorkAreNamedUntilTheyAreSettled() {
    let delegated = Frame(.delegated, ["task_id": "a", "skill": "search", "turn_id": "t1"])
    let second = Frame(.delegated, ["task_id": "b", "skill": "book", "turn_id": "t1"])
    check([
      (Self.frame(.responding, turn: "t1"), .responding),
      (delegated, .responding),
      (second, .responding),
      (Self.pending, .working(["book", "search"])),
      (Frame(.taskSettled, ["task_id": "b"]), .working(["search"])),
      (Frame(.taskCancelled, ["task_id": "a"]), .responding),
      (Self.frame(.responded, turn: "t1"), .idle),
    ])
  }

  @Test func outstandingToolsKeepTheTurnResponding() {
    check([
      (Self.frame(.responding, turn: "t1"), .responding), (Self.pending, .responding),
      (Self.frame(.responded, turn: "t1"), .idle),
    ])
  }

  @Test func anInterruptedTurnDoesNotEndAnother() {
    check([
      (Self.frame(.responding, turn: "t1"), .responding),
      (Self.frame(.responding, turn: "t2"), .responding),
      (Self.frame(.interrupted, turn: "t1"), .responding),
      (Self.frame(.error), .responding),
      (Self.frame(.error, turn: "t2"), .idle),
    ])
  }

  @Test func afterTheEndOnlyAJoinOpensAgain() {
    check([
      (Self.frame(.responding, turn: "t1"), .responding), (Self.frame(.left), .ended),
      (Self.frame(.responseDelta, turn: "t1"), .ended), (Self.frame(.joined), .idle),
    ])
  }

  @Test func framesOfUnknownTypesChangeNothing() {
    check([(Frame("something.new", ["turn_id": "t1"]), .idle)])
  }

  /// A watcher that comes at any point and gets a snapshot goes on like one that saw everything.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func aSnapshotCarriesTheWholeState(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var first = Conversation()
    for _ in 0..<20 { first.apply(Self.random(&generator)) }
    var late = Conversation()
    late.apply(Frame(.snapshot, first.snapshotFields))
    #expect(late == first, "seed \(seed)")
    for _ in 0..<20 {
      let frame = Self.random(&generator)
      first.apply(frame)
      late.apply(frame)
      #expect(late.state == first.state, "seed \(seed)")
    }
  }

  private static func random(_ generator: inout SeededGenerator) -> Frame {
    let turn = "t\(Int.random(in: 0..<3, using: &generator))"
    let types: [FrameType] = [
      .hearing, .heard, .responding, .responseDelta, .responded, .heardOut, .interrupted, .error,
      .participantJoined, .participantLeft, .delegated, .taskSettled, .decision,
    ]
    return Frame(
      types.randomElement(using: &generator) ?? .heard,
      [
        "turn_id": .string(turn), "task_id": .string(turn), "skill": "search", "kind": "wait",
        "participant": ["id": .string(turn)],
        "pending_work": .bool(Bool.random(using: &generator)),
      ])
  }
}
