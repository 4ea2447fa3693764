import SessionsModel

extension OpenAPISchemas {
  static let requests: [String: JSONValue] = [
    "CreateSessionRequest": createSession,
    "UpdateSessionRequest": updateSession,
    "ModelOverwrites": modelOverwrites,
    "SessionTool": sessionTool,
    "ToolApproval": object([
      "title": optionalText(limit: 80), "message": optionalText(limit: 240),
      "allow_title": optionalText(limit: 40), "decline_title": optionalText(limit: 40),
      "reason_argument": optionalText(limit: 64),
    ]),
    "SessionQuery": object([
      "filter": optional("SessionFilter"),
      "sort": [
        "type": ["array", "null"], "maxItems": 1,
        "items": object(
          [
            "field": words(SessionSort.self), "direction": ["enum": [-1, nil]],
          ], required: ["field"]),
      ],
      "limit": optionalInteger(1...SessionQueryRequest.maximumLimit), "cursor": optionalText,
    ]),
    "SessionFilter": sessionFilter,
    "CreateResponseRequest": object(
      [
        "text": text, "request_id": requestID, "command_id": requestID,
        "tool_choice": optionalText, "images": ["type": ["array", "null"]],
        "videos": ["type": ["array", "null"], "maxItems": 2],
      ], required: ["text"]),
    "ForkSessionRequest": object([
      "agent": optionalText, "config_id": optionalText, "title": optionalText,
      "description": optionalText, "project_id": optionalText, "custom": anyObject,
      "model_overwrites": optional("ModelOverwrites"), "incognito": optionalFlag,
      "instructions": optionalText, "messages": optionalFlag, "response_id": optionalText,
      "call_id": optionalText,
    ]),
    "RewindRequest": object(["response_id": text], required: ["response_id"]),
    "SayRequest": object(
      ["text": ["type": "string", "minLength": 1], "interrupt": optionalFlag, "type": anything],
      required: ["text"]),
    "InterruptRequest": object([
      "request_id": optionalText, "command_id": optionalText, "type": anything,
    ]),
    "CreatePairingRequest": object(
      [
        "user_id": ["type": "string", "minLength": 1, "maxLength": 255],
        "hours": optionalInteger(1...8760),
      ], required: ["user_id"]),
    "RedeemPairingRequest": object(
      [
        "nonce": ["type": "string", "minLength": 16, "maxLength": 64],
        "proof": ["type": "string", "maxLength": 64],
      ], required: ["nonce", "proof"]),
    "WriteMessageRequest": object(
      ["text": ["type": "string", "minLength": 1]], required: ["text"]),
  ]

  private static let models: [String: JSONValue] = [
    "llm": optionalText, "stt": optionalText, "tts": optionalText, "sts": optionalText,
  ]

  private static let modelSettings: [String: JSONValue] = [
    "thinking": words(Thinking.self, isOptional: true),
    "temperature": ["type": ["number", "null"]],
    "max_output_tokens": ["type": ["integer", "null"], "minimum": 0],
    "verbosity": words(Verbosity.self, isOptional: true),
  ]

  static let modelOverwrites = object(
    models.merging(modelSettings) { $1 }.merging(["search": optionalText]) { $1 })

  private static let updateSession = object(
    models.merging(modelSettings) { $1 }.merging([
      "title": optionalText, "description": optionalText, "custom": anyObject,
      "instructions": optionalText, "voice": optionalText,
    ]) { $1 })

  private static let createSession = object(
    models.merging([
      "id": sessionID, "agent": optionalText, "config_id": optionalText, "title": optionalText,
      "description": optionalText, "project_id": optionalText, "custom": anyObject,
      "tags": optionalTextMap, "model_overwrites": optional("ModelOverwrites"),
      "incognito": optionalFlag, "start_voice": optionalFlag, "instructions": optionalText,
      "greeting": optionalText, "voice": optionalText, "search": optionalText,
      "tools": ["type": ["array", "null"], "items": reference("SessionTool")],
      "tool_timeout_ms": optionalInteger(0...3_600_000),
      "keyterms": ["type": ["array", "null"], "maxItems": 100, "items": text],
      "text": anything, "call_id": anything, "call_type": anything, "languages": anything,
      "memory": anything, "max_tokens": anything, "min_confidence": anything,
      "backchannel": anything, "video": anything, "phone": anything,
    ]) { $1 })

  private static let sessionTool = object(
    [
      "name": ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"],
      "description": optionalText, "parameters": anyObject,
      "display_title": optionalText(limit: 80),
      "executor": words(SessionTool.Executor.self, isOptional: true),
      "approval": optional("ToolApproval"),
    ], required: ["name"])

  private static func equal(_ schema: JSONValue) -> JSONValue {
    [
      "anyOf": [
        schema, ["type": "null"], object(["$eq": schema], required: ["$eq"]),
      ]
    ]
  }

  private static let sessionFilter = object([
    "agent": equal(text), "agent_id": equal(text), "config_id": equal(text),
    "user_id": equal(text), "project_id": equal(text),
    "modality": equal(words(Modality.self)), "state": equal(words(SessionState.self)),
    "custom": optionalTextMap,
    "created_at": [
      "anyOf": [
        ["type": "null"],
        object([
          "$gte": ["type": ["string", "null"], "format": "date-time"],
          "$lt": ["type": ["string", "null"], "format": "date-time"],
        ]),
      ]
    ],
    "text": [
      "anyOf": [
        ["type": "null"],
        object(["$q": ["type": "string", "maxLength": 1000]], required: ["$q"]),
      ]
    ],
  ])
}
