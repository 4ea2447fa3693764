import Foundation

/// The part of a tool's JSON Schema that a grammar needs.
struct ToolSchema: Decodable {
  struct Property: Decodable {
    var type: String?
    /// Of an enumeration of strings.
    var choices: [String]?

    private enum CodingKeys: String, CodingKey {
      case type
      case choices = "enum"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      // A type may also be a list, and an enumeration may hold other things than strings: such a
      // property is then written as a string.
      type = try? container.decode(String.self, forKey: .type)
      choices = try? container.decode([String].self, forKey: .choices)
    }
  }

  var properties: [String: Property]
  var required: [String]

  private enum CodingKeys: String, CodingKey {
    case properties
    case required
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    properties = try container.decodeIfPresent([String: Property].self, forKey: .properties) ?? [:]
    required = try container.decodeIfPresent([String].self, forKey: .required) ?? []
  }

  init(of tool: ModelTool) throws(ProviderError) {
    do {
      self = try JSONDecoder().decode(ToolSchema.self, from: Data(tool.parameters.utf8))
    } catch {
      throw .failed("The parameters of the tool \"\(tool.name)\" are no JSON Schema object.")
    }
  }

  /// Required names in the schema's own order, then the rest by name.
  var orderedNames: [String] {
    required.filter { properties[$0] != nil }
      + properties.keys.filter { !required.contains($0) }.sorted()
  }
}
