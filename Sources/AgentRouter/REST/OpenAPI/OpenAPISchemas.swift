import SessionsModel

/// The bodies of the interface as JSON Schemas (2020-12, as OpenAPI 3.1 has them).
///
/// Every optional field may be `null`, which means the same as leaving it out.
enum OpenAPISchemas {
  static let all = requests.merging(answers) { first, _ in first }

  static func reference(_ name: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  /// The error envelope with the codes that are possible.
  static func error(_ codes: [APIError.Code]) -> JSONValue {
    let types = Set(codes.map(\.type)).sorted()
    return object(
      [
        "error": object(
          [
            "message": ["type": "string", "minLength": 1],
            "type": ["type": "string", "enum": .array(types.map { .string($0) })],
            "code": ["type": "string", "enum": .array(codes.map { .string($0.rawValue) })],
            "doc_url": text,
          ], required: ["message", "type", "code", "doc_url"])
      ], required: ["error"])
  }

  /// A closed object: a field that is not named is refused.
  static func object(_ properties: [String: JSONValue], required: [String] = []) -> JSONValue {
    var schema: JSONValue = [
      "type": "object", "properties": .object(properties), "additionalProperties": false,
    ]
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
    return schema
  }

  static let text: JSONValue = ["type": "string"]
  static let optionalText: JSONValue = ["type": ["string", "null"]]
  static let optionalFlag: JSONValue = ["type": ["boolean", "null"]]
  static let anyObject: JSONValue = ["type": ["object", "null"]]
  static let time: JSONValue = ["type": "string", "format": "date-time"]
  /// In a query an empty value is the same as none.
  static let timeOrNothing: JSONValue = ["anyOf": [time, ["const": ""]]]
  static let optionalTextMap: JSONValue = [
    "type": ["object", "null"], "additionalProperties": ["type": "string"],
  ]
  /// Accepted as it is, for clients of the public interface.
  static let anything: JSONValue = [:]

  static func optionalText(limit: Int) -> JSONValue {
    ["type": ["string", "null"], "maxLength": .int(limit)]
  }

  static func optionalInteger(_ range: ClosedRange<Int>? = nil) -> JSONValue {
    var schema: JSONValue = ["type": ["integer", "null"]]
    if let range {
      schema["minimum"] = .int(range.lowerBound)
      schema["maximum"] = .int(range.upperBound)
    }
    return schema
  }

  static func words<Word>(
    _ type: Word.Type, isOptional: Bool = false
  ) -> JSONValue where Word: RawRepresentable<String> & CaseIterable {
    let words = Word.allCases.map { JSONValue.string($0.rawValue) }
    return ["enum": .array(words + (isOptional ? [.null] : []))]
  }

  static func optional(_ name: String) -> JSONValue {
    ["anyOf": [reference(name), ["type": "null"]]]
  }

  static let sessionID: JSONValue = [
    "type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{1,64}$",
  ]
  static let requestID: JSONValue = [
    "type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{1,128}$",
  ]
}
