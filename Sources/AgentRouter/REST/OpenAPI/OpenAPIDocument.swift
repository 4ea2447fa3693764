import Networking
import SessionsModel

/// The description of the REST interface (OpenAPI 3.1), made of the routes themselves.
enum OpenAPIDocument {
  /// Made once: nothing in it changes while the router runs.
  static let json: JSONValue = [
    "openapi": "3.1.0",
    "info": [
      "title": "Agent router", "version": "1",
      "description":
        "Sessions with agents, in writing and by voice. Every error has the same envelope.",
    ],
    "security": [["key": [], "token": []]],
    "paths": paths,
    "components": [
      "schemas": .object(OpenAPISchemas.all),
      "securitySchemes": [
        "key": ["type": "apiKey", "in": "header", "name": "X-Api-Key"],
        "token": [
          "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
          "description": "HS256; a backend's (server: true) also sends Stream-Auth-Type: server.",
        ],
      ],
    ],
  ]

  static let serialized = json.serialized

  private static var paths: JSONValue {
    var paths: [String: JSONValue] = [:]
    for route in Route.allCases {
      var item = paths[route.template] ?? [:]
      item[route.method.rawValue.lowercased()] = operation(of: route)
      paths[route.template] = item
    }
    return .object(paths)
  }

  private static func operation(of route: Route) -> JSONValue {
    let operation = route.operation
    var json: JSONValue = [
      "operationId": .string(route.rawValue), "summary": .string(operation.summary),
      "parameters": parameters(of: route, operation), "responses": responses(operation),
      "x-client-accessible": .bool(operation.access != .backend),
    ]
    if operation.access == .everyone { json["security"] = [] }
    if let request = operation.request {
      json["requestBody"] = [
        "required": .bool(!operation.isRequestOptional),
        "content": ["application/json": ["schema": OpenAPISchemas.reference(request)]],
      ]
    }
    return json
  }

  private static func parameters(of route: Route, _ operation: OpenAPIOperation) -> JSONValue {
    var parameters: [JSONValue] = route.parameterNames.map { name in
      [
        "name": .string(name), "in": "path", "required": true,
        "schema": ["type": "string", "minLength": 1],
      ]
    }
    parameters += operation.query.map { parameter in
      [
        "name": .string(parameter.name), "in": "query", "required": false,
        "description": .string(parameter.text), "schema": parameter.schema,
      ]
    }
    return .array(parameters)
  }

  private static func responses(_ operation: OpenAPIOperation) -> JSONValue {
    var responses: [String: JSONValue] = [:]
    for answer in operation.answers {
      var json: JSONValue = ["description": .string(answer.text), "headers": requestIDHeader]
      if answer.status == 101 { json["headers"] = nil }
      if let schema = answer.schema {
        json["content"] = ["application/json": ["schema": OpenAPISchemas.reference(schema)]]
      }
      responses[String(answer.status)] = json
    }
    for (status, codes) in Dictionary(grouping: operation.allErrors, by: \.status)
    where responses[String(status)] == nil {
      let sorted = codes.sorted { $0.rawValue < $1.rawValue }
      responses[String(status)] = [
        "description": .string(sorted.map(\.rawValue).joined(separator: ", ")),
        "headers": requestIDHeader,
        "content": ["application/json": ["schema": OpenAPISchemas.error(sorted)]],
      ]
    }
    return .object(responses)
  }

  private static let requestIDHeader: JSONValue = [
    "X-Request-Id": ["required": true, "schema": ["type": "string"]]
  ]
}
