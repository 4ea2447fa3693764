import Providers
import SessionsModel

extension AgentConfiguration {
  /// What one request to a model is charged; a failed one counts as a request (contract part 1, 1.4).
  ///
  /// - Parameters:
  ///   - model: the name it was asked by; empty means the agent's own.
  ///   - usage: nil for a request that failed.
  func charge(for model: String, _ usage: ModelUsage?) -> SessionUsage {
    var charged = SessionUsage()
    charged.requests = 1
    guard let usage else { return charged }
    charged.inputTokens = usage.inputTokens
    charged.cachedInputTokens = usage.cachedInputTokens
    charged.outputTokens = usage.outputTokens
    guard let price = prices[model] ?? prices[model.isEmpty ? llm : ""] ?? prices[""] else {
      return charged
    }
    let cached = Double(min(usage.cachedInputTokens, usage.inputTokens))
    let micros =
      (Double(usage.inputTokens) - cached) * price.input
      + cached * (price.cachedInput ?? price.input) + Double(usage.outputTokens) * price.output
    charged.costMicros = Int(micros.rounded())
    return charged
  }
}

extension SessionUsage {
  var tokens: Int { inputTokens + outputTokens }
}
