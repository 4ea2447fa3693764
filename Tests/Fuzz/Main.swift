/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  examine(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
