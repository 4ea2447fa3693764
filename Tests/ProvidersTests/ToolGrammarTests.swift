import Testing

@testable import Providers

@Suite struct ToolGrammarTests {
  private func tool(_ name: String, _ parameters: String) -> ModelTool {
    ModelTool(name: name, description: "", parameters: parameters)
  }

  @Test func oneToolWithOneStringIsOneFixedForm() throws {
    let grammar = try ToolGrammar(tools: [
      tool(
        "lookup_order",
        #"{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}"#)
    ])
    #expect(
      grammar.text.hasPrefix(
        #"""
        root ::= call0
        call0 ::= "{\"name\": \"lookup_order\", \"arguments\": {" "\"order_id\": " string "}}"

        """#))
  }

  @Test func typesAndChoicesBecomeTheirRules() throws {
    let grammar = try ToolGrammar(tools: [
      tool(
        "set",
        #"{"properties":{"n":{"type":"integer"},"on":{"type":"boolean"},"unit":{"enum":["c","f"]}},"required":["unit"]}"#
      )
    ])
    #expect(
      grammar.text.contains(
        #""\"unit\": " ("\"c\"" | "\"f\"") (", " "\"n\": " integer)? (", " "\"on\": " boolean)? "}}""#
      ))
  }

  @Test func severalToolsAreAlternatives() throws {
    let grammar = try ToolGrammar(tools: [tool("a", "{}"), tool("b", "{}")])
    #expect(grammar.text.hasPrefix("root ::= call0 | call1\n"))
  }

  @Test func aSchemaThatIsNoObjectIsRefusedByTheToolsName() {
    #expect(
      throws: ProviderError.failed("The parameters of the tool \"a\" are no JSON Schema object.")
    ) { try ToolGrammar(tools: [tool("a", "[1]")]) }
  }
}
