import Testing

@testable import AgentRouter

@Suite struct SentenceChunkerTests {
  /// The pieces of a text that comes character by character, as the hardest of all streams.
  private func pieces(_ text: String) -> [String] {
    var chunker = SentenceChunker()
    var pieces = text.flatMap { chunker.take(String($0)) }
    if let rest = chunker.flush() { pieces.append(rest) }
    return pieces
  }

  @Test(
    arguments: [
      ("The capital of France is Paris.", ["The capital of France is Paris."]),
      ("Yes. It is open.", ["Yes. ", "It is open."]),
      ("Of course I can, and gladly. Next!", ["Of course I can, ", "and gladly. ", "Next!"]),
      ("Sure, why not. Ok.", ["Sure, why not. ", "Ok."]),
      (
        "Dr. Smith lives on St. Mary Street. He is in.",
        [
          "Dr. Smith lives on St. Mary Street. ", "He is in.",
        ]
      ),
      ("Pi is 3.14 or so. Good.", ["Pi is 3.14 or so. ", "Good."]),
      ("It costs 1,042 dollars. Fine.", ["It costs 1,042 dollars. ", "Fine."]),
      ("The U.S. is big. True.", ["The U.S. is big. ", "True."]),
      ("See https://a.example/x?y=1. Bye.", ["See https://a.example/x?y=1. ", "Bye."]),
      ("He said \"Stop!\" Then he left.", ["He said \"Stop!\" ", "Then he left."]),
      ("Wait... what? No.", ["Wait... ", "what? ", "No."]),
      ("1. Apples\n2. Pears\n", ["1. Apples\n", "2. Pears\n"]),
      ("你好。今天天气很好！再见", ["你好。", "今天天气很好！", "再见"]),
      ("「你好！」他说。", ["「你好！", "」他说。"]),
      ("今日は、いい天気です。はい。", ["今日は、", "いい天気です。", "はい。"]),
      ("नमस्ते। आप कैसे हैं?", ["नमस्ते।", " आप कैसे हैं?"]),
      ("مرحبا، كيف حالك؟ نعم.", ["مرحبا، كيف حالك؟", " نعم."]),
      ("", []),
    ] as [(String, [String])])
  func textIsCutWhereAPersonPauses(text: String, expected: [String]) {
    #expect(pieces(text) == expected)
  }

  @Test func theFirstClauseComesBeforeTheSentenceIsComplete() {
    var chunker = SentenceChunker()
    #expect(chunker.take("The train to Paris,") == [])
    #expect(chunker.take(" which") == ["The train to Paris, "])
  }

  @Test(arguments: [1, 2, 3, 7, 50])
  func thePiecesAreTheTextAndDoNotDependOnTheStream(length: Int) {
    let text = "Well, that depends. At 3.5 km, i.e. not far, Mr. Li waits — as ever; ok?\nYes!"
    var chunker = SentenceChunker()
    var pieces: [String] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      pieces += chunker.take(String(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    if let last = chunker.flush() { pieces.append(last) }
    #expect(pieces.joined() == text)
    #expect(
      pieces.map { $0.filter { !$0.isWhitespace } }
        == self.pieces(text).map { $0.filter { !$0.isWhitespace } })
  }

  @Test func aSentenceWithoutEndAndWithoutSpacesIsCutAllTheSame() {
    let pieces = pieces(String(repeating: "天", count: 400))
    #expect(pieces.count > 3)
    #expect(pieces.allSatisfy { $0.count <= SentenceChunker.longestPiece / 2 })
  }

  @Test func aSentenceWithoutEndIsCutAtASpace() throws {
    let pieces = pieces(String(repeating: "word ", count: 100))
    #expect(pieces.count > 1)
    #expect(pieces.allSatisfy { $0.count <= SentenceChunker.longestPiece && $0.hasSuffix(" ") })
  }

  @Test(arguments: [
    ("The capital of France is Paris.", true), ("She said \"go away.\"", true),
    ("Is that what you want?", true), ("It is about 3.", false), ("I would ask Dr.", false),
    ("The capital of France", false), ("Cold.", false), ("It is in the U.S.", false),
  ])
  func aSentenceThatIsProbablyWholeIsKnownBeforeWhatFollows(text: String, isLikely: Bool) {
    var chunker = SentenceChunker()
    #expect(chunker.take(text).isEmpty)
    #expect((chunker.likelyFirstPiece != nil) == isLikely)
  }

  @Test func onlyTheFirstPieceIsGuessed() {
    var chunker = SentenceChunker()
    #expect(chunker.take("This is the first one. And this the second.").count == 1)
    #expect(chunker.likelyFirstPiece == nil)
  }
}
