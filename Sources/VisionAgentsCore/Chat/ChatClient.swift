public import Foundation

/// An app's own client for transcripts, shared by everything that shows them.
///
/// Hand it over with ``VisionAgents/use(_:)-(ChatClient)``, and `session.chat()` opens on it. It is
/// never disconnected by the session.
public final class ChatClient: Sendable {
  public let user: User
  let rest: RESTClient

  public init(
    apiKey: String, user: User, url: URL = Backend.defaultURL,
    environment: VisionAgents.Environment? = nil, token: @escaping TokenProvider
  ) {
    self.user = user
    let credentials = Credentials(.device(apiKey: apiKey))
    credentials.set(user, provider: token)
    rest = RESTClient(
      origin: .reading(url), credentials: credentials, environment: environment ?? .live)
  }
}

extension AgentsClient {
  /// The client transcripts are read with: the one handed over, else this one.
  ///
  /// - Throws: when the one handed over belongs to another user.
  func chatRest() throws -> RESTClient {
    guard let chat = chatClient else { return rest }
    try check(chat.user, what: "ChatClient")
    return chat.rest
  }

  func check(_ user: User, what: String) throws {
    guard let own = credentials.identity.user, own.id != user.id else { return }
    throw AgentsError.configuration(
      "The \(what) handed over with use(_:) belongs to \(user.id), but the user is \(own.id);"
        + " hand over one of the same user.")
  }
}
