// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors everywhere; isolation follows the caller, so that no logic leaves its
// injected executor by accident (the simulation depends on it).
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// What a package that uses the SDK has by default: the seed's samples must compile with it.
let swiftOfAClient: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// `function-effects` makes a breach of `nonblocking` on a realtime path a build error.
let realtimeC: [CSetting] = [
  .enableWarning("all"),
  .enableWarning("extra"),
  .enableWarning("function-effects"),
  .treatAllWarnings(as: .error),
  .define("_GNU_SOURCE"),
  .unsafeFlags(["-O2"]),
]

let realtimeCXX: [CXXSetting] = [
  .enableWarning("all"),
  .enableWarning("extra"),
  .treatAllWarnings(as: .error),
  .define("WEBRTC_POSIX"),
  .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
  .unsafeFlags(["-O2", "-I/usr/include/webrtc_audio_processing"]),
]

let plainC: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
  .define("_GNU_SOURCE"), .unsafeFlags(["-O2"]),
]

func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "voice",
  products: [
    .executable(name: "voice", targets: ["voice"]),
    .library(name: "VisionAgentsCore", targets: ["VisionAgentsCore"]),
    .library(name: "SimulatedRoom", type: .dynamic, targets: ["SimulatedRoom"]),
    .library(name: "RouterFaults", type: .dynamic, targets: ["RouterFaults"]),
  ],
  targets: [
    // Libraries of the system.
    library("CAlsa", pkgConfig: "alsa", apt: "libasound2-dev"),
    library("COpus", pkgConfig: "opus", apt: "libopus-dev"),
    library("CSampleRate", pkgConfig: "samplerate", apt: "libsamplerate0-dev"),
    // Without pkg-config: SwiftPM would refuse its -D flags with a warning at every build.
    .systemLibrary(
      name: "CWebRTCAudioProcessing", path: "Sources/System/CWebRTCAudioProcessing",
      providers: [.apt(["libwebrtc-audio-processing-dev"])]),
    library("CLibWebSockets", pkgConfig: "libwebsockets", apt: "libwebsockets-dev"),
    library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    library("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),

    // The realtime core, in C.
    .target(
      name: "CVoiceDSP", dependencies: ["COpus", "CSampleRate"], cSettings: realtimeC,
      linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "CVoiceCore", dependencies: ["CVoiceDSP", "CWebRTCAudioProcessing"],
      cSettings: realtimeC, cxxSettings: realtimeCXX,
      // SwiftPM drops this library's pkg-config flags because of the -D among them.
      linkerSettings: [.linkedLibrary("webrtc_audio_processing")]),
    .target(name: "CAudioDevice", dependencies: ["CVoiceCore", "CAlsa"], cSettings: realtimeC),
    .target(name: "CMediaTransport", dependencies: ["CVoiceDSP"], cSettings: realtimeC),
    .target(
      name: "SimulatedRoom", dependencies: ["CAlsa"],
      cSettings: [
        .enableWarning("all"), .treatAllWarnings(as: .error), .define("PIC"),
        .define("_GNU_SOURCE"), .unsafeFlags(["-O2", "-fvisibility=hidden"]),
      ]),
    // Finds that plugin's control functions at run time, so that ALSA and we share one copy.
    .target(name: "SimulatedRoomControl", swiftSettings: swift),

    // The engine, the wire, the sessions.
    .target(
      name: "VoiceEngine", dependencies: ["CAudioDevice", "CVoiceCore", "CVoiceDSP"],
      swiftSettings: swift),
    .target(name: "Networking", dependencies: ["CLibWebSockets", "CCurl"], swiftSettings: swift),
    .target(name: "SessionsModel", dependencies: ["CCrypto"], swiftSettings: swift),
    .target(
      name: "CallTransport", dependencies: ["SessionsModel", "Networking", "CVoiceDSP"],
      swiftSettings: swift),
    .target(name: "Stores", dependencies: ["SessionsModel", "CSQLite"], swiftSettings: swift),
    .target(
      name: "Providers", dependencies: ["SessionsModel", "Networking"], swiftSettings: swift),
    .target(
      name: "AgentRouter",
      dependencies: [
        "CallTransport", "Stores", "Providers", "SessionsModel", "Networking", "CMediaTransport",
        "CVoiceDSP", "CYAML",
      ], swiftSettings: swift),
    .target(
      name: "VisionAgentsCore",
      dependencies: ["VoiceEngine", "CallTransport", "SessionsModel", "Networking"],
      swiftSettings: swift),

    // What a person starts, what a developer runs.
    .executableTarget(
      name: "voice",
      dependencies: [
        "VisionAgentsCore", "AgentRouter", "VoiceEngine", "SessionsModel", "Networking", "Stores",
        "Providers", "SimulatedRoomControl", "CCrypto",
      ], swiftSettings: swift),
    .target(
      name: "Simulation",
      dependencies: [
        "VisionAgentsCore", "AgentRouter", "VoiceEngine", "CallTransport", "Providers", "Stores",
        "SessionsModel", "Networking", "CVoiceCore", "CVoiceDSP", "CMediaTransport",
      ], swiftSettings: swift),

    // Benchmarks and tests.
    // The references of the benches, over the libraries alone, and the counters.
    .target(
      name: "BenchNative",
      dependencies: ["CAlsa", "COpus", "CSampleRate", "CWebRTCAudioProcessing"],
      path: "Benchmarks/native",
      cSettings: [
        .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
        .define("_GNU_SOURCE"),
      ], cxxSettings: realtimeCXX),
    // Rooms, voices and judges of the echo bench; it drives the canceller below the core's door.
    .target(
      name: "EchoScenes", dependencies: ["CVoiceCore", "CVoiceDSP", "CWebRTCAudioProcessing"],
      path: "Benchmarks/echo",
      cSettings: [
        .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
        .define("_GNU_SOURCE"), .headerSearchPath("../../Sources/CVoiceCore"),
        .unsafeFlags(["-O2"]),
      ], cxxSettings: realtimeCXX),
    // The clients of a router and the reference of its fan-out, each in a process of its own, and
    // a bad disk that is preloaded into a router.
    .executableTarget(
      name: "bench-load", dependencies: ["CSQLite"], path: "Benchmarks/load", cSettings: plainC),
    .executableTarget(
      name: "fanout-epoll", path: "Benchmarks/references", cSettings: plainC),
    .target(
      name: "RouterFaults", dependencies: ["CSQLite"], path: "Benchmarks/faults",
      cSettings: plainC),
    .executableTarget(
      name: "bench",
      dependencies: [
        "BenchNative", "EchoScenes", "VoiceEngine", "CVoiceCore", "CVoiceDSP", "CAudioDevice",
        "COpus",
        "CSampleRate",
        "SessionsModel", "Stores", "VoiceProgram", "SimulatedRoomControl", "Simulation",
        "AgentRouter",
      ], path: "Benchmarks/bench", swiftSettings: swift),
    // The built program as a child process, for what tests and measures the whole of it.
    .target(
      name: "VoiceProgram", dependencies: ["SessionsModel", "Networking"],
      path: "Tests/VoiceProgram",
      swiftSettings: swift),
    .testTarget(
      name: "VoiceDSPTests",
      dependencies: ["CVoiceDSP"],
      resources: [.copy("Resources")],
      swiftSettings: swift),
    .testTarget(
      name: "VoiceCoreTests",
      dependencies: ["CVoiceCore", "CVoiceDSP"],
      swiftSettings: swift),
    .testTarget(
      name: "SimulatedRoomTests",
      dependencies: ["SimulatedRoomControl", "CAlsa"],
      swiftSettings: swift),
    .testTarget(
      name: "MediaTransportTests",
      dependencies: ["CMediaTransport", "CVoiceDSP"],
      swiftSettings: swift),
    .testTarget(
      name: "VoiceEngineTests",
      dependencies: [
        "VoiceEngine", "CAudioDevice", "CVoiceCore", "CVoiceDSP", "SimulatedRoomControl",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "NetworkingTests",
      dependencies: ["Networking"],
      swiftSettings: swift),
    .testTarget(
      name: "SessionsModelTests",
      dependencies: ["SessionsModel"],
      swiftSettings: swift),
    .testTarget(
      name: "StoresTests",
      dependencies: ["Stores", "SessionsModel"],
      resources: [.copy("Earlier")],
      swiftSettings: swift),
    .testTarget(
      name: "ProvidersTests",
      dependencies: ["Providers", "SessionsModel", "Networking", "Simulation"],
      swiftSettings: swift),
    .testTarget(
      name: "CallTransportTests",
      dependencies: ["CallTransport", "SessionsModel", "Networking", "CVoiceDSP"],
      swiftSettings: swift),
    .testTarget(
      name: "AgentRouterTests",
      dependencies: [
        "AgentRouter", "CallTransport", "Stores", "Providers", "SessionsModel", "Networking",
        "CMediaTransport", "CVoiceDSP", "Simulation",
      ],
      swiftSettings: swift),
    // The seed's samples, as a client of the SDK would write them.
    .target(
      name: "SeedSamples", dependencies: ["VisionAgentsCore"], path: "Tests/SeedSamples",
      swiftSettings: swiftOfAClient),
    .testTarget(
      name: "VisionAgentsCoreTests",
      dependencies: [
        "SeedSamples", "VisionAgentsCore", "VoiceEngine", "CallTransport", "SessionsModel",
        "Networking",
      ],
      swiftSettings: swiftOfAClient),
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "Simulation", "VisionAgentsCore", "AgentRouter", "VoiceEngine", "CallTransport", "Stores",
        "Providers", "SessionsModel", "Networking",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "RulesTests",
      dependencies: [
        "SeedSamples", "Simulation", "VisionAgentsCore", "AgentRouter", "VoiceEngine", "Stores",
        "Providers", "SessionsModel", "Networking", "CallTransport",
      ],
      exclude: ["rules.txt", "table.py"],
      swiftSettings: swift),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "voice", "VoiceProgram", "VisionAgentsCore", "AgentRouter", "VoiceEngine", "SessionsModel",
        "Networking", "SimulatedRoomControl",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["voice", "VoiceProgram", "Providers", "SessionsModel", "Networking"],
      swiftSettings: swift),
    .testTarget(
      name: "HouseTests",
      dependencies: [],
      swiftSettings: swift),
  ],
  cLanguageStandard: .c17,
  cxxLanguageStandard: .cxx17
)
