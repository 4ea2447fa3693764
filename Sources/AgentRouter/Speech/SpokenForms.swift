/// English words for what is written in signs: units, money, ranges, addresses. Numbers themselves
/// are left to the voices, which all read them.
enum SpokenForms {
  /// The text with its signs in words.
  static func english(_ text: String) -> String {
    var text = text
    text.replace(#/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/#) { address(String($0.0)) }
    text.replace(#/\b(?:www\.)?([\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|eu|de|uk))\b/#) {
      $0.1.split(separator: ".").joined(separator: " dot ")
    }
    text.replace(#/([$€£])\s?(\d[\d,]*(?:\.\d+)?)/#) { money(String($0.1), String($0.2)) }
    text.replace(
      #/(\d)\s?(km\/h|m\/s|kWh|km|cm|mm|kg|mg|ml|kHz|Hz|GB|MB|kB|TB|°C|°F|°|%|mph)(?!\w)/#
    ) {
      "\($0.1) \(units[String($0.2)] ?? String($0.2))"
    }
    text.replace(#/\b1 ((?:kilo|centi|milli)?(?:meter|gram|liter|watt hour|byte|hertz))s\b/#) {
      "1 \($0.1)"
    }
    text.replace(#/(^|[^\d-])(\d+)\s?[–-]\s?(\d+)(?![\d-])/#) { "\($0.1)\($0.2) to \($0.3)" }
    text.replace(#/(\d)\s?=\s?(\d)/#) { "\($0.1) equals \($0.2)" }
    text.replace(#/(\d)\s?\+\s?(\d)/#) { "\($0.1) plus \($0.2)" }
    text.replace(#/(\d)\s?×\s?(\d)/#) { "\($0.1) times \($0.2)" }
    text.replace(#/\s&\s/#, with: " and ")
    text.replace(#/\be\.g\.,?/#, with: "for example,")
    text.replace(#/\bi\.e\.,?/#, with: "that is,")
    return text
  }

  /// "anna.b@example.com" is said as "anna dot b at example dot com".
  private static func address(_ address: String) -> String {
    address.replacing(".", with: " dot ").replacing("@", with: " at ")
      .replacing("_", with: " underscore ").replacing("-", with: " dash ")
  }

  private static func money(_ sign: String, _ amount: String) -> String {
    let name = ["$": "dollar", "€": "euro", "£": "pound"][sign] ?? ""
    return amount == "1" ? "1 \(name)" : "\(amount) \(name)s"
  }

  private static let units = [
    "km/h": "kilometers per hour", "m/s": "meters per second", "mph": "miles per hour",
    "km": "kilometers", "cm": "centimeters", "mm": "millimeters", "kg": "kilograms",
    "mg": "milligrams", "ml": "milliliters", "kWh": "kilowatt hours", "Hz": "hertz",
    "kHz": "kilohertz", "kB": "kilobytes", "MB": "megabytes", "GB": "gigabytes",
    "TB": "terabytes", "°C": "degrees Celsius", "°F": "degrees Fahrenheit", "°": "degrees",
    "%": "percent",
  ]
}
