public import Foundation
public import SessionsModel

/// One step of a turn: what was said, thought, called or answered.
public struct ResponseItem: Sendable, Hashable {
  public typealias Kind = AgentResponseItem.Kind

  public let responseID: String
  /// Place within the response, from 0.
  public let ordinal: Int
  public let kind: Kind
  public let text: String
  public let toolName: String
  public let at: Date
  public let payload: JSONValue?

  init(_ body: AgentResponseItem) {
    responseID = body.responseID
    ordinal = body.ordinal
    kind = body.kind
    text = body.text ?? ""
    toolName = body.toolName ?? ""
    at = body.at
    payload = body.payload
  }
}
