/// A body of `multipart/form-data` (RFC 7578).
struct MultipartForm {
  private let boundary: String
  private var bytes: [UInt8] = []

  /// - Parameter boundary: must not occur in any part.
  init(boundary: String) {
    self.boundary = boundary
  }

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  mutating func add(_ name: String, _ value: String) {
    begin("name=\"\(name)\"", type: nil)
    bytes += Array(value.utf8)
  }

  mutating func addFile(_ name: String, fileName: String, type: String, _ content: [UInt8]) {
    begin("name=\"\(name)\"; filename=\"\(fileName)\"", type: type)
    bytes += content
  }

  /// The whole body.
  func finished() -> [UInt8] {
    bytes + Array("\r\n--\(boundary)--\r\n".utf8)
  }

  private mutating func begin(_ disposition: String, type: String?) {
    var head = bytes.isEmpty ? "" : "\r\n"
    head += "--\(boundary)\r\nContent-Disposition: form-data; \(disposition)\r\n"
    if let type { head += "Content-Type: \(type)\r\n" }
    bytes += Array((head + "\r\n").utf8)
  }
}
