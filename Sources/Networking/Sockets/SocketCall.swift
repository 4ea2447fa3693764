import CLibWebSockets
import Glibc

/// One call of libwebsockets into this module, valid only while it lasts.
struct SocketCall {
  var socket: OpaquePointer
  var reason: lws_callback_reasons
  /// What libwebsockets passes beside the input: for a certificate to be judged its store context.
  var user: UnsafeMutableRawPointer?
  var input: UnsafeMutableRawPointer?
  var length: Int

  /// The bytes that came with the call.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
  }

  /// The number this module gave the socket; 0 when it has none.
  ///
  /// libwebsockets knows our objects by number only, so that a late call finds nothing instead of
  /// freed memory.
  var number: UInt {
    UInt(bitPattern: lws_get_opaque_user_data(socket))
  }
}

/// Whoever owns a context of libwebsockets and takes its calls.
protocol SocketCallTarget: AnyObject, Sendable {
  /// Called on the loop's thread.
  ///
  /// - Returns: what libwebsockets expects; nil for its own treatment of the call.
  func take(_ call: SocketCall) -> Int32?
}

/// The one C callback of every protocol, virtual host and context.
func socketCallback(
  _ socket: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
  guard let socket, let context = lws_get_context(socket), let pointer = lws_context_user(context)
  else { return 0 }
  let target = Unmanaged<SocketRoute>.fromOpaque(pointer).takeUnretainedValue().target
  let call = SocketCall(
    socket: socket, reason: reason, user: user, input: input, length: length)
  return target?.take(call) ?? lws_callback_http_dummy(socket, reason, user, input, length)
}

/// What libwebsockets holds on to, so that a target may go before its context.
final class SocketRoute {
  weak var target: (any SocketCallTarget)?
}

/// Carries a value that is valid only during a call into an isolation that is entered within it.
struct UnsafeTransfer<Value>: @unchecked Sendable {
  // Rule: made and read by the same thread, within one call.
  let value: Value
}

func unsafeTransfer<Value>(_ value: Value) -> UnsafeTransfer<Value> {
  UnsafeTransfer(value: value)
}

/// Keeps a socket out of child processes, which would hold the connection open.
func closeOnExecute(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
