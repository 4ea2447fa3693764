/// Body of `POST .../say`, and the fields of the command `say`.
public struct SayRequest: Sendable, Hashable {
  public var text: String
  /// Whether the reply in progress is stopped first; otherwise the words wait for it.
  public var interrupt: Bool

  public init(text: String, interrupt: Bool = false) {
    self.text = text
    self.interrupt = interrupt
  }
}

extension SayRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "say")
    text = try reader.requiredString("text")
    interrupt = try reader.bool("interrupt") ?? false
    // The command carries its own type.
    _ = reader.value("type")
    try reader.refuseUnknownFields()
    if text.isEmpty { throw WireError(.invalidField, "The field text of say is empty.") }
  }

  public var json: JSONValue { ["text": .string(text), "interrupt": .bool(interrupt)] }
}

/// Body of `POST .../interrupt`, and the fields of the command `interrupt`.
public struct InterruptRequest: Sendable, Hashable {
  /// Only the reply answering this request is stopped; nil stops whichever is running.
  public var requestID: String?

  public init(requestID: String? = nil) {
    self.requestID = requestID
  }
}

extension InterruptRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "interrupt")
    let named = try reader.string("request_id")
    let command = try reader.string("command_id")
    requestID = named ?? command
    _ = reader.value("type")
    try reader.refuseUnknownFields()
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("request_id", requestID)
    return writer.json
  }
}

/// Body of `POST .../channel/messages`.
public struct WriteMessageRequest: Sendable, Hashable {
  public var text: String

  public init(text: String) {
    self.text = text
  }
}

extension WriteMessageRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the message")
    text = try reader.requiredString("text")
    try reader.refuseUnknownFields()
    if text.isEmpty { throw WireError(.invalidField, "The field text of the message is empty.") }
  }

  public var json: JSONValue { ["text": .string(text)] }
}
