/// Body of `POST /v1/agents/sessions/{id}/responses`.
public struct CreateResponseRequest: Sendable, Hashable {
  public var text: String
  /// The client's own id of this request; a retry with it starts no second turn.
  public var requestID: String?
  /// The id was given as `command_id`: the client follows it by `command_accepted` and
  /// `command_stopped`.
  public var isCommand = false
  /// `auto`, `none`, `required` or a tool's name; nil leaves it to the agent.
  public var toolChoice: String?
  /// Kept as sent.
  public var images: [JSONValue] = []
  /// Kept as sent; two at most.
  public var videos: [JSONValue] = []

  public init(text: String, requestID: String? = nil) {
    self.text = text
    self.requestID = requestID
  }
}

extension CreateResponseRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the request")
    text = try reader.requiredString("text")
    images = try reader.array("images") ?? []
    videos = try reader.array("videos") ?? []
    toolChoice = try reader.string("tool_choice")
    let named = try reader.string("request_id")
    let command = try reader.string("command_id")
    try reader.refuseUnknownFields()
    if let named, let command, named != command {
      throw WireError(
        .invalidField,
        "The fields request_id and command_id mean the same; they are \(named) and \(command).")
    }
    requestID = named ?? command
    isCommand = command != nil
    if let requestID, !Identifier.isValidRequestID(requestID) {
      throw WireError(
        .invalidID,
        "The request_id \(JSONValue.string(requestID)) is not 1 to 128 letters, digits, - and _.")
    }
    if text.isEmpty, images.isEmpty, videos.isEmpty {
      throw WireError(.invalidField, "The field text is empty; there is nothing to answer.")
    }
    if videos.count > 2 {
      throw WireError(.invalidField, "There are \(videos.count) videos; at most 2 are allowed.")
    }
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("text", text)
    writer.set(isCommand ? "command_id" : "request_id", requestID)
    writer.set("tool_choice", toolChoice)
    if !images.isEmpty { writer.set("images", .array(images)) }
    if !videos.isEmpty { writer.set("videos", .array(videos)) }
    return writer.json
  }
}
