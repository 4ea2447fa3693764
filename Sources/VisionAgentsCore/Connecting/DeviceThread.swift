import Foundation

/// Runs what blocks, opening and closing a sound device, on a thread of its own.
///
/// The event loop must not wait for a driver, and the cooperative pool must not be blocked. A device
/// is opened a few times in a program's life, so a thread each time costs nothing.
package enum DeviceThread {
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.name = "voice-device"
      thread.start()
    }
  }
}
