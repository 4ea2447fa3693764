/// What a model's tokens cost, in dollars per million tokens; which is millionths of a dollar each.
public struct ModelPrice: Sendable, Hashable {
  public var input: Double
  /// Of input tokens that came from a cache; nil charges them like the others.
  public var cachedInput: Double?
  public var output: Double

  public init(input: Double, cachedInput: Double? = nil, output: Double) {
    self.input = input
    self.cachedInput = cachedInput
    self.output = output
  }
}
