import Foundation

/// A GBNF grammar that lets a model write nothing but one call of one of the given tools:
/// `{"name": "…", "arguments": {…}}`.
///
/// Schemas are taken flat: strings, numbers, integers, booleans and enumerations of strings; any
/// other property is written as a string. Values have a longest length, so that a small model
/// comes to an end.
public struct ToolGrammar: Sendable, Equatable {
  /// The grammar's text.
  public let text: String

  /// - Throws: `.failed` naming the tool whose schema is no JSON object.
  public init(tools: [ModelTool]) throws(ProviderError) {
    var rules: [String] = []
    for (index, tool) in tools.enumerated() {
      let schema = try ToolSchema(of: tool)
      let head = Self.literal("{\"name\": \"\(tool.name)\", \"arguments\": {")
      rules.append("call\(index) ::= \(head) \(Self.body(of: schema)) \(Self.literal("}}"))")
    }
    let alternatives = tools.indices.map { "call\($0)" }.joined(separator: " | ")
    text =
      (["root ::= \(alternatives)"] + rules + Self.values).joined(separator: "\n") + "\n"
  }

  private static let values = [
    // Without brackets and semicolons: a small model otherwise wanders off into code.
    #"string ::= "\"" [^"\\\x00-\x20{}()<>;,.:|\[\]] [^"\\\x00-\x1f{}()<>;|\[\]]{0,47} "\"""#,
    #"integer ::= "-"? [0-9]{1,12}"#,
    #"number ::= integer ("." [0-9]{1,6})?"#,
    #"boolean ::= "true" | "false""#,
  ]

  /// The properties in order: what is required, then each optional one or nothing.
  private static func body(of schema: ToolSchema) -> String {
    let names = schema.orderedNames
    let required = schema.required.isEmpty ? names : names.filter(schema.required.contains)
    let optional = names.filter { !required.contains($0) }
    let first = required.map { property($0, of: schema) }
      .joined(separator: " \(literal(", ")) ")
    return ([first] + optional.map { "(\(literal(", ")) \(property($0, of: schema)))?" })
      .joined(separator: " ")
  }

  private static func property(_ name: String, of schema: ToolSchema) -> String {
    "\(literal("\"\(name)\": ")) \(value(of: schema.properties[name]))"
  }

  private static func value(of property: ToolSchema.Property?) -> String {
    if let choices = property?.choices, !choices.isEmpty {
      return "(\(choices.map { literal("\"\($0)\"") }.joined(separator: " | ")))"
    }
    switch property?.type {
    case "integer": return "integer"
    case "number": return "number"
    case "boolean": return "boolean"
    default: return "string"
    }
  }

  private static func literal(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }
}
