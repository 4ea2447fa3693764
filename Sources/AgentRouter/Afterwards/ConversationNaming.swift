import Foundation
import Providers
import SessionsModel

/// How a conversation gets its title and description (R39, R42; contract part 1, 1.7).
enum ConversationNaming {
  struct Names: Sendable, Equatable {
    var title: String
    var description: String
  }

  /// Only the start of a conversation is read.
  static let linesAtMost = 40
  static let charactersOfALine = 600
  static let wordsOfATitle = 8
  static let lengthOfATitle = 80
  static let lengthOfADescription = 280

  static let form = ModelForm(
    name: .nameConversation,
    instructions: """
      Name the conversation for a list of conversations. The title has at most eight words, \
      without quotation marks and without a full stop; the description is one sentence. Write both \
      in the language the user writes in.
      """,
    properties: ["title": ["type": "string"], "description": ["type": "string"]],
    required: ["title", "description"], maxOutputTokens: 200, timeLimit: .seconds(30))

  /// Whether an answer, counted from 1, is followed by naming: 1, 4, 7, ...
  static func isDue(afterAnswer number: Int) -> Bool { number % 3 == 1 }

  /// The start of a conversation as a model is shown it.
  static func opening(of messages: [ModelMessage]) -> String {
    messages.filter { ($0.role == .user || $0.role == .assistant) && !$0.content.isEmpty }
      .prefix(linesAtMost)
      .map { "\($0.role.rawValue): \(cut($0.content, to: charactersOfALine))" }
      .joined(separator: "\n")
  }

  /// What a model filled in, within the bounds; nil when it is not usable.
  static func names(in fields: [String: JSONValue]) -> Names? {
    guard let title = fields["title"]?.stringValue.flatMap(title(of:)),
      let description = fields["description"]?.stringValue.flatMap(description(of:))
    else { return nil }
    return Names(title: title, description: description)
  }

  static func title(of text: String) -> String? {
    var words = bare(text).split(separator: " ")
    words = Array(words.prefix(wordsOfATitle))
    var title = cut(words.joined(separator: " "), to: lengthOfATitle)
    while let last = title.last, last == "." || last == "。" || last.isWhitespace {
      title.removeLast()
    }
    return title.isEmpty ? nil : title
  }

  static func description(of text: String) -> String? {
    let description = cut(firstSentence(of: bare(text)), to: lengthOfADescription)
    return description.isEmpty ? nil : description
  }

  /// One line, without the quotation marks around it.
  private static func bare(_ text: String) -> String {
    let marks = CharacterSet(charactersIn: "\"'`“”„‚‘’«»").union(.whitespacesAndNewlines)
    return text.split(whereSeparator: { $0.isWhitespace || $0.isNewline }).joined(separator: " ")
      .trimmingCharacters(in: marks)
  }

  private static func firstSentence(of text: String) -> String {
    var end = text.startIndex
    while let stop = text[end...].firstIndex(where: { "!?.。！？".contains($0) }) {
      let next = text.index(after: stop)
      let isEnd = next == text.endIndex || text[next] == " " || "。！？".contains(text[stop])
      if isEnd { return String(text[..<next]) }
      end = next
    }
    return text
  }

  /// As many whole characters as fit, counted in Unicode scalars: no emoji is ever cut in two.
  static func cut(_ text: String, to limit: Int) -> String {
    var count = 0
    var end = text.startIndex
    for index in text.indices {
      count += text[index].unicodeScalars.count
      if count > limit { return String(text[..<end]) }
      end = text.index(after: index)
    }
    return text
  }
}
