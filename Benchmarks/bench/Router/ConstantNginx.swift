import Foundation
import Glibc

/// Debian's nginx returning a constant: the reference of get_cpu_ratio_nginx.
final class ConstantNginx {
  /// What it takes on this class of machine, in us of CPU a request; outside it the ratio says
  /// nothing.
  static let range = 2.0...8

  let port: Int
  private let child: ChildProgram
  private let worker: Int32

  /// The program: installed, or unpacked into the cache.
  private static var program: String? {
    ["/usr/sbin/nginx", "\(Places.cache)/tools/nginx/usr/sbin/nginx"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// - Throws: ``BenchFailure`` when Debian's nginx is not there.
  @inline(never)
  init(in folder: URL, answer bytes: Int) throws {
    guard let program = Self.program else {
      throw BenchFailure(
        "nginx is not there: apt-get download nginx, then dpkg -x into \(Places.cache)/tools/nginx")
    }
    port = try Self.freePort()
    let body = String(repeating: "x", count: bytes)
    try """
    worker_processes 1;
    daemon off;
    pid \(folder.path)/nginx.pid;
    error_log stderr crit;
    events { worker_connections 1024; }
    http {
      access_log off;
      keepalive_requests 100000000;
      client_body_temp_path \(folder.path)/body;
      proxy_temp_path \(folder.path)/proxy;
      fastcgi_temp_path \(folder.path)/fastcgi;
      uwsgi_temp_path \(folder.path)/uwsgi;
      scgi_temp_path \(folder.path)/scgi;
      server {
        listen 127.0.0.1:\(port);
        location / { default_type application/json; return 200 '\(body)'; }
      }
    }

    """.write(to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
    child = try ChildProgram(
      program, ["-p", folder.path, "-c", "\(folder.path)/nginx.conf", "-e", "stderr"])
    var worker: Int32?
    for _ in 0..<200 where worker == nil {
      usleep(10_000)
      worker = Self.child(of: child.processID)
    }
    guard let worker else {
      child.kill()
      throw BenchFailure("nginx did not start.")
    }
    self.worker = worker
  }

  var cpuSeconds: Double { ChildProgram.cpuSeconds(of: worker) }

  func stop() {
    Glibc.kill(child.processID, SIGTERM)
    _ = child.wait()
  }

  private static func child(of parent: Int32) -> Int32? {
    let path = "/proc/\(parent)/task/\(parent)/children"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""  // Not started yet.
    return text.split(separator: " ").first.flatMap { Int32($0) }
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard result else { throw BenchFailure("The system gave no port.") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
