import Foundation

/// The path and the query of a `media_url`, which the router gives relative to itself.
struct MediaPath: Sendable {
  let path: String
  let query: [(name: String, value: String)]

  init(_ text: String) {
    let parts = URLComponents(string: text)
    path = parts?.path ?? text
    query = (parts?.queryItems ?? []).map { (name: $0.name, value: $0.value ?? "") }
  }
}
