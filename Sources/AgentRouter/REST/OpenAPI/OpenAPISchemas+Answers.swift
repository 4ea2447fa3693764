import SessionsModel

extension OpenAPISchemas {
  static let answers: [String: JSONValue] = [
    "Session": session,
    "SessionUsage": object(
      Dictionary(
        uniqueKeysWithValues: usageFields.map { ($0, ["type": "integer", "minimum": 0]) }),
      required: usageFields),
    "SessionPage": page(of: "Session"),
    "AgentResponse": object(
      [
        "id": text, "session_id": text, "request_id": text,
        "status": words(AgentResponse.Status.self), "said": text, "created_at": time,
        "finished_at": time, "error": text,
      ], required: ["id", "session_id", "status", "created_at"]),
    "AgentResponsePage": page(of: "AgentResponse"),
    "AgentResponseItem": object(
      [
        "response_id": text, "ordinal": ["type": "integer", "minimum": 0],
        "kind": words(AgentResponseItem.Kind.self), "at": time, "text": text, "tool_name": text,
        "payload": anything, "session_id": text,
      ], required: ["response_id", "ordinal", "kind", "at"]),
    "AgentResponseItemPage": page(of: "AgentResponseItem"),
    "TranscriptMessage": object(
      [
        "id": text, "role": words(TranscriptMessage.Role.self), "user_id": text, "text": text,
        "created_at": time, "updated_at": time, "extra": ["type": "object"],
      ], required: ["id", "role", "user_id", "text", "created_at", "updated_at"]),
    "TranscriptMessagePage": page(of: "TranscriptMessage"),
    "Channel": object(
      [
        "cid": text, "messages": ["type": "array", "items": reference("TranscriptMessage")],
        "has_more": ["type": "boolean"], "next_cursor": text,
      ], required: ["cid", "messages", "has_more"]),
    "Health": object(
      [
        "status": ["enum": ["ok", "degraded"]],
        "dependencies": ["type": "object", "additionalProperties": ["enum": ["ok", "missing"]]],
      ], required: ["status", "dependencies"]),
    "AgentConfigs": ["type": "array", "items": agentConfig],
    "ModelRoute": object(["target": text], required: ["target"]),
    "Memories": object(
      [
        "items": [
          "type": "array",
          "items": object(["text": text, "created_at": time], required: ["text", "created_at"]),
        ]
      ], required: ["items"]),
    "UsageTotals": object(
      [
        "group_by": text, "has_more": ["type": "boolean"],
        "items": ["type": "array", "items": usageTotal],
      ], required: ["group_by", "has_more", "items"]),
    "AgentCommand": object(
      [
        "command_id": text, "user_message_id": text, "assistant_message_id": text,
        "response_id": text, "state": words(AgentResponse.Status.self),
        "duplicate": ["type": "boolean"],
      ],
      required: [
        "command_id", "user_message_id", "assistant_message_id", "response_id", "state",
        "duplicate",
      ]),
    "PairingOffer": object(
      ["code": text, "user_id": text, "expires_at": time, "fingerprint": text],
      required: ["code", "user_id", "expires_at"]),
    "PairedDevice": object(
      ["api_key": text, "user_id": text, "token": text, "expires_at": time, "proof": text],
      required: ["api_key", "user_id", "token", "expires_at", "proof"]),
    "Object": ["type": "object"],
  ]

  private static let usageTotal = object(
    Dictionary(
      uniqueKeysWithValues: (usageFields + ["messages"]).map {
        ($0, ["type": "integer", "minimum": 0])
      }
    ).merging(["key": text]) { $1 }, required: usageFields + ["messages", "key"])

  private static let usageFields = [
    "input_tokens", "cached_input_tokens", "output_tokens", "requests", "cost_micros",
  ]

  private static func page(of item: String) -> JSONValue {
    object(
      [
        "items": ["type": "array", "items": reference(item)], "has_more": ["type": "boolean"],
        "next_cursor": text,
      ], required: ["items", "has_more"])
  }

  private static let agentConfig = object(
    [
      "id": text, "name": text, "instructions": text, "greeting": text, "llm": text, "stt": text,
      "tts": text, "voice": text, "tags": optionalTextMap, "tools": ["type": "array"],
    ], required: ["id", "name"])

  private static let session = object(
    [
      "id": text, "agent_id": text, "agent": text, "config_id": text, "user_id": text,
      "call_id": text, "call_type": text, "state": words(SessionState.self),
      "modality": words(Modality.self), "mode": words(SessionMode.self), "created_at": time,
      "updated_at": time, "last_response_at": time, "closed_at": time, "title": text,
      "description": text, "custom": ["type": "object"], "project_id": text, "forked_from": text,
      "incognito": ["type": "boolean"], "instructions": text, "llm": text, "stt": text,
      "tts": text, "sts": text, "voice": text, "model_overwrites": reference("ModelOverwrites"),
      "conversation_id": text, "review_score": ["type": "integer", "minimum": 1, "maximum": 5],
      "review_notes": text, "usage": reference("SessionUsage"),
    ],
    required: [
      "id", "agent_id", "user_id", "call_id", "call_type", "state", "modality", "created_at",
    ])
}
