/// What happened at the bounds, counted since creation.
public struct DeviceCounters: Sendable, Hashable {
  /// Restarts of the pair after a device ran dry or over.
  public var xruns: UInt64 = 0
  /// Times one side was unplugged and the other went on, and times it was taken back.
  public var sidesLost: UInt64 = 0
  public var sidesTakenBack: UInt64 = 0
  /// Times the microphone's clock stood still; silence stands in its recording for that.
  public var stalls: UInt64 = 0
  /// Blocks of 10 ms that went through the core.
  public var blocks: UInt64 = 0
  /// Packets lost and concealed, by redundancy or by extrapolation.
  public var concealedPackets: UInt64 = 0
  /// Packets dropped because they came after their time.
  public var latePackets: UInt64 = 0
  /// Packets dropped because they belonged to a flushed generation.
  public var stalePackets: UInt64 = 0
  /// Packets refused because a queue was full.
  public var refusedPackets: UInt64 = 0
  /// Times the speech ran out before its end.
  public var underruns: UInt64 = 0
  /// Packets and events that nobody fetched in time.
  public var droppedOutputs: UInt64 = 0

  public init() {}
}
