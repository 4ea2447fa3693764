import SessionsModel
import VisionAgentsCore

/// The tool `voice run` registers, so that a tool's whole way can be seen: asked for by the model,
/// run on this device, its result spoken.
enum DemonstrationTools {
  static let all = [
    AgentTool(
      "get_order", description: "Tells where an order is.",
      parameters: [
        "type": "object",
        "properties": ["order": ["type": "string", "description": "The order's number."]],
        "required": ["order"],
      ]
    ) { arguments in
      let order = arguments["order"]?.stringValue ?? "unknown"
      return "Order \(order) left the warehouse this morning and arrives tomorrow."
    }
  ]
}
