/// The body of every error answer (contract part 1, 1.2).
public struct ErrorEnvelope: Sendable, Hashable {
  public var message: String
  public var type: String
  public var code: String
  public var docURL: String

  public init(message: String, type: String, code: String, docURL: String = "") {
    self.message = message
    self.type = type
    self.code = code
    self.docURL = docURL
  }

  /// Reads what any router, also an old one, answered.
  ///
  /// Older routers send `{"error": "text"}`; other bodies become the message, an empty one gives
  /// the status.
  public init(status: Int, body: [UInt8]) {
    // A body that is no JSON is not a mistake here: it is shown as it came.
    let error = (try? JSONValue.parse(body))?["error"]
    if let text = error?.stringValue {
      self.init(message: text, type: "", code: "")
    } else if let fields = error?.objectValue {
      self.init(
        message: fields["message"]?.stringValue ?? "HTTP status \(status)",
        type: fields["type"]?.stringValue ?? "", code: fields["code"]?.stringValue ?? "",
        docURL: fields["doc_url"]?.stringValue ?? "")
    } else {
      let text = Self.trimmed(String(decoding: body.prefix(2000), as: UTF8.self))
      self.init(message: text.isEmpty ? "HTTP status \(status)" : text, type: "", code: "")
    }
  }

  public var json: JSONValue {
    var error = FieldWriter()
    error.set("message", message)
    error.set("type", type)
    error.set("code", code)
    error.set("doc_url", docURL)
    return ["error": error.json]
  }

  private static func trimmed(_ text: String) -> String {
    let head = text.drop(while: \.isWhitespace)
    guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(head[...last])
  }
}
