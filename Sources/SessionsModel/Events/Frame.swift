/// One frame of an events socket: a flat object with a `type`.
public struct Frame: Sendable, Hashable {
  public var type: FrameType
  /// Every field but `type` and `seq`.
  public var fields: [String: JSONValue] {
    didSet { shared = nil }
  }
  /// Position in the session's stream; nil outside the stream and for public clients.
  public var seq: UInt64?
  /// Set where many are sent the same frame, so that its text is made once.
  private var shared: FrameText?

  public init(_ type: FrameType, _ fields: [String: JSONValue] = [:], seq: UInt64? = nil) {
    self.type = type
    self.fields = fields
    self.seq = seq
  }

  /// Reads a received object; nil when it has no `type`, which a reader skips.
  public init?(json: JSONValue) {
    guard case .object(var fields) = json, case .string(let type)? = fields["type"] else {
      return nil
    }
    fields["type"] = nil
    seq = fields.removeValue(forKey: "seq")?.intValue.flatMap(UInt64.init(exactly:))
    self.type = FrameType(rawValue: type)
    self.fields = fields
  }

  public subscript(name: String) -> JSONValue? {
    get { fields[name] }
    set { fields[name] = newValue }
  }

  /// The frame's `turn_id`, if it belongs to a turn.
  public var turnID: String? { fields["turn_id"]?.stringValue }

  public var requestID: String? { fields["request_id"]?.stringValue }

  public var json: JSONValue {
    var object = fields
    object["type"] = .string(type.rawValue)
    if let seq { object["seq"] = .int(Int(clamping: seq)) }
    return .object(object)
  }

  /// The text message to send.
  public var text: String { shared?.text(of: self) ?? json.serializedText }

  /// The same frame, whose text is made once for all copies of it.
  public var sharing: Frame {
    var frame = self
    frame.shared = FrameText()
    return frame
  }

  /// The frame as a public client sees it: without `seq`.
  public var withoutSequence: Frame {
    var frame = self
    frame.seq = nil
    return frame
  }
}
