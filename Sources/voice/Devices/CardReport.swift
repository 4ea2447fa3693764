import Foundation
import SessionsModel
import VoiceEngine

/// What is known of a sound card, for people and for programs.
struct CardReport {
  /// One direction of one PCM.
  struct Direction {
    var captures: Bool
    var format: Result<NativeFormat, AudioError>

    var name: String { captures ? "microphone" : "speaker" }

    var text: String {
      switch format {
      case .success(let format): format.text
      case .failure(let error): error.message
      }
    }
  }

  var card: AudioCard
  var directions: [(pcm: String, directions: [Direction])]
  var elements: [MixerElement] = []
  var findings: [MixerJudgement.Finding] = []
  var mixerFailure: String?

  /// Asks the card; waits for its driver.
  init(_ card: AudioCard) {
    self.card = card
    directions = card.devices.map { device in
      let ways = [device.captures ? true : nil, device.plays ? false : nil].compactMap(\.self)
      return (
        device.pcm,
        ways.map { captures in
          Direction(
            captures: captures,
            format: Result { () throws(AudioError) in
              try NativeFormat(pcm: device.pcm, captures: captures)
            })
        }
      )
    }
    do throws(AudioError) {
      elements = try CardMixer(card: card.id).elements()
      findings = MixerJudgement(elements).findings
    } catch {
      mixerFailure = error.message
    }
  }

  /// Lines of the table.
  var lines: [String] {
    var lines = [
      "\(card.id.padding(to: 16)) \(card.name)  (\(card.identity.stableID), card \(card.index))"
    ]
    if card.isForbidden {
      return lines + [
        "  This user may not open it: sudo usermod -aG audio \(NSUserName()), then log in again."
      ]
    }
    for (pcm, ways) in directions {
      for (index, way) in ways.enumerated() {
        let name = (index == 0 ? pcm : "").padding(to: 30)
        lines.append("  \(name) \(way.name.padding(to: 11)) \(way.text)")
      }
    }
    if !elements.isEmpty {
      lines.append("  mixer  " + elements.map(\.text).joined(separator: ", "))
    }
    lines += findings.map { "  mixer  ! \($0.element.text) \($0.problem.sentence)" }
    return lines
  }

  var json: JSONValue {
    [
      "id": .string(card.id), "name": .string(card.name), "index": .int(card.index),
      "stable_id": .string(card.identity.stableID), "may_be_opened": .bool(!card.isForbidden),
      "pcms": .array(
        directions.map { pcm, ways in
          [
            "name": .string(pcm),
            "directions": .array(
              ways.map { way in
                var fields: [String: JSONValue] = ["direction": .string(way.name)]
                switch way.format {
                case .success(let format):
                  fields["formats"] = .array(format.formats.map { .string($0) })
                  fields["rates"] = .array(format.rates.map { .int($0) })
                  fields["channels"] = [
                    .int(format.channels.lowerBound), .int(format.channels.upperBound),
                  ]
                case .failure(let error):
                  fields["refused"] = .string(error.message)
                }
                return .object(fields)
              }),
          ]
        }),
      "mixer": .array(
        elements.map { element in
          [
            "name": .string(element.name), "index": .int(element.index),
            "direction": .string(element.direction.rawValue),
            "on": element.isOn.map { .bool($0) } ?? .null,
            "level": element.level.map { .double($0) } ?? .null,
            "decibels": element.decibels.map { .double($0.value) } ?? .null,
            "problem": findings.first { $0.element == element }.map {
              .string($0.problem.rawValue)
            } ?? .null,
          ]
        }),
      "mixer_failure": mixerFailure.map { .string($0) } ?? .null,
    ]
  }
}
