import Networking
import SessionsModel

/// The turns of one session.
public struct Responses: Sendable {
  let client: AgentsClient
  public let sessionID: String

  /// Asks the agent something; returns as soon as the turn has started.
  ///
  /// - Parameter requestID: your own id of this request. With the same id and text the router
  ///   starts no second turn, which is also what makes a repeat after a broken connection safe.
  /// - Returns: the turn; its `id` is the `turnID` of every event of it.
  /// - Throws: ``AgentsError``; 409 while a reply is outstanding on a call.
  @discardableResult
  public func create(
    _ text: String, images: [ImageSource] = [], requestID: String? = nil
  ) async throws -> Response {
    var request = CreateResponseRequest(text: text, requestID: requestID ?? client.newID())
    request.images = images.map(\.json)
    return Response(
      try await client.rest.send(
        .post, SessionPaths.session(sessionID, "responses"), body: request.json, mayRepeat: true,
        as: AgentResponse.self))
  }

  /// Reads the turns, oldest first.
  ///
  /// - Parameter limit: 1 to 200; 25 when nil.
  public func list(limit: Int? = nil, cursor: String? = nil) async throws -> Page<Response> {
    let page = try await client.rest.send(
      .get, SessionPaths.session(sessionID, "responses"), query: Self.paging(limit, cursor),
      mayRepeat: true, as: WirePage<AgentResponse>.self)
    return Page(page, item: Response.init)
  }

  /// Every step of every turn.
  public var items: Items {
    Items(responses: self)
  }

  /// Reads one page of steps.
  ///
  /// - Parameter limit: 1 to 200; 25 when nil.
  public func items(
    responseID: String? = nil, limit: Int? = nil, cursor: String? = nil
  ) async throws -> Page<ResponseItem> {
    let response = responseID.map { [(name: "response_id", value: $0)] } ?? []
    let page = try await client.rest.send(
      .get, SessionPaths.session(sessionID, "responses/items"),
      query: response + Self.paging(limit, cursor), mayRepeat: true,
      as: WirePage<AgentResponseItem>.self)
    return Page(page, item: ResponseItem.init)
  }

  /// Goes back to a response and carries on from there, as though nothing after it was said.
  public func rewind(to id: String) async throws {
    _ = try await client.rest.send(
      .post, SessionPaths.session(sessionID, "rewind"), body: ["response_id": .string(id)])
  }

  /// Goes back to a response.
  public func rewind(to response: Response) async throws {
    try await rewind(to: response.id)
  }

  /// Goes back to the response the item belongs to.
  public func rewind(to item: ResponseItem) async throws {
    try await rewind(to: item.responseID)
  }

  private static func paging(
    _ limit: Int?, _ cursor: String?
  ) -> [(name: String, value: String)] {
    let limit = limit.map { [(name: "limit", value: String($0))] } ?? []
    return limit + (cursor.map { [(name: "cursor", value: $0)] } ?? [])
  }
}
