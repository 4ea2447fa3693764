/// Body of `POST .../rewind`.
public struct RewindRequest: Sendable, Hashable {
  /// The response to go back to.
  public var responseID: String

  public init(responseID: String) {
    self.responseID = responseID
  }
}

extension RewindRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the request")
    responseID = try reader.requiredString("response_id")
    try reader.refuseUnknownFields()
  }

  public var json: JSONValue { ["response_id": .string(responseID)] }
}
