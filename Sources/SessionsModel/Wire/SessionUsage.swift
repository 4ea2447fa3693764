/// What a session cost, over every model it called; failed requests count.
public struct SessionUsage: Sendable, Hashable {
  public var inputTokens = 0
  public var cachedInputTokens = 0
  public var outputTokens = 0
  public var requests = 0
  /// Millionths of a dollar.
  public var costMicros = 0

  public init() {}

  public static func += (left: inout Self, right: Self) {
    left.inputTokens += right.inputTokens
    left.cachedInputTokens += right.cachedInputTokens
    left.outputTokens += right.outputTokens
    left.requests += right.requests
    left.costMicros += right.costMicros
  }
}

extension SessionUsage: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "usage")
    inputTokens = try reader.int("input_tokens") ?? 0
    cachedInputTokens = try reader.int("cached_input_tokens") ?? 0
    outputTokens = try reader.int("output_tokens") ?? 0
    requests = try reader.int("requests") ?? 0
    costMicros = try reader.int("cost_micros") ?? 0
  }

  public var json: JSONValue {
    [
      "input_tokens": .int(inputTokens), "cached_input_tokens": .int(cachedInputTokens),
      "output_tokens": .int(outputTokens), "requests": .int(requests),
      "cost_micros": .int(costMicros),
    ]
  }
}
