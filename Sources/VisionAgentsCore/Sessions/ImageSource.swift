public import Foundation
import SessionsModel

/// A picture that goes with a question.
public enum ImageSource: Sendable, Hashable {
  case url(URL)
  /// The file's bytes and its media type, such as `image/png`.
  case data(Data, mediaType: String)

  var json: JSONValue {
    switch self {
    case .url(let url): ["url": .string(url.absoluteString)]
    case .data(let data, let mediaType):
      ["data": .string(data.base64EncodedString()), "media_type": .string(mediaType)]
    }
  }
}
