/// What became of a person speaking over the agent, as the device judges it.
public enum BargeIn: Sendable, Hashable {
  /// The person speaks: the agent's voice has stopped and waits where it was.
  case began
  /// They went on for half a second: it is no "mm-hm", and the voice will not go on.
  case confirmed
  /// It was a cough, a door, or nothing: the voice goes on where it stopped.
  case over
}
