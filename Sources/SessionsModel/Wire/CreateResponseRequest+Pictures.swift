extension CreateResponseRequest {
  /// The pictures as URLs: each may be one, or an object with `url`, or with `data` in base 64 and
  /// its `media_type`.
  ///
  /// - Throws: `invalid_field`, naming the first that is none of these.
  public func pictures() throws(WireError) -> [String] {
    var urls: [String] = []
    for (index, image) in images.enumerated() {
      guard let url = Self.url(of: image), Self.isAllowed(url) else {
        throw WireError(
          .invalidField,
          "images[\(index)] must be a URL, {\"url\": ..} or {\"data\": .., \"media_type\": ..}.")
      }
      urls.append(url)
    }
    return urls
  }

  /// Pictures and films as they were sent; nil without any.
  public var attachments: JSONValue? {
    var writer = FieldWriter()
    if !images.isEmpty { writer.set("images", .array(images)) }
    if !videos.isEmpty { writer.set("videos", .array(videos)) }
    return images.isEmpty && videos.isEmpty ? nil : writer.json
  }

  private static func url(of image: JSONValue) -> String? {
    if let url = image.stringValue ?? image["url"]?.stringValue { return url }
    guard let data = image["data"]?.stringValue,
      let type = (image["media_type"] ?? image["mime_type"])?.stringValue
    else { return nil }
    return "data:\(type);base64,\(data)"
  }

  private static func isAllowed(_ url: String) -> Bool {
    url.hasPrefix("https://") || url.hasPrefix("http://") || url.hasPrefix("data:image/")
  }
}
