import CAudioDevice

/// A source of ``CardWatchMachine`` that is open: a descriptor that is readable when cards may have
/// come or gone.
///
/// `@unchecked Sendable`: its owner calls it from one executor only, and the descriptor never changes.
public final class CardNews: @unchecked Sendable {
  private let hotplug: OpaquePointer

  /// Opens a source.
  ///
  /// - Throws: ``AudioError`` when this machine or container does not have it.
  public init(_ source: CardWatchMachine.Source, in system: SoundSystem) throws(AudioError) {
    var hotplug: OpaquePointer?
    let result: Int32 =
      switch source {
      case .messages: ad_hotplug_open_messages(&hotplug)
      case .folder: ad_hotplug_open_folder(&hotplug, system.nodes)
      case .polling: -1
      }
    guard result == 0, let hotplug else {
      throw AudioError(
        code: .notPermitted,
        message: "Nothing tells of sound cards that come and go (\(source), error \(-result)); they"
          + " are looked for instead.")
    }
    self.hotplug = hotplug
  }

  deinit {
    ad_hotplug_close(hotplug)
  }

  /// Readable while something waits to be taken.
  public var descriptor: Int32 { ad_hotplug_descriptor(hotplug) }

  /// Takes what waits.
  ///
  /// - Returns: whether a card may have come or gone; `nil` when the source is of no more use.
  public func take() -> Bool? {
    let result = ad_hotplug_take(hotplug)
    return result < 0 ? nil : result > 0
  }
}
