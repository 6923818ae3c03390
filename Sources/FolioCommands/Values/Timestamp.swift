/// Dates as text: ISO 8601 in UTC, proleptic Gregorian, from seconds since 2001-01-01, the way stores hold them.
enum Timestamp {
    /// Days from 1970-01-01 to 2001-01-01.
    private static let referenceDay: Int64 = 11_323
    /// Seconds beyond this are no longer counted exactly by anybody's calendar.
    private static let greatest = 9.0e15

    /// The shortest text that reads back as the same value, with at most nine digits of a second.
    /// - Returns: nil for what is no date: NaN, infinities and seconds beyond ±9·10¹⁵.
    static func text(_ seconds: Double) -> String? {
        guard seconds.magnitude < greatest else { return nil }
        var whole = Int64(seconds.rounded(.down))
        var digits = fraction(of: seconds)
        if digits == "carry" {
            whole += 1
            digits = ""
        }
        let day = floorDivide(whole, 86_400)
        let second = Int(whole - day * 86_400)
        let (year, month, dayOfMonth) = civil(day + referenceDay)
        var text = ""
        text.reserveCapacity(32)
        if (0...9999).contains(year) {
            append(Int(year), width: 4, to: &text)
        } else {
            text += year < 0 ? "-" : "+"
            append(Int(year.magnitude), width: 5, to: &text)
        }
        text += "-"
        append(month, width: 2, to: &text)
        text += "-"
        append(dayOfMonth, width: 2, to: &text)
        text += "T"
        append(second / 3600, width: 2, to: &text)
        text += ":"
        append(second / 60 % 60, width: 2, to: &text)
        text += ":"
        append(second % 60, width: 2, to: &text)
        if !digits.isEmpty { text += "." + digits }
        return text + "Z"
    }

    /// The digits after the point of `seconds − floor(seconds)`; `carry` where rounding to nine of them makes a whole second.
    private static func fraction(of seconds: Double) -> String {
        let shortest = seconds.magnitude.description
        guard seconds != seconds.rounded(.down) else { return "" }
        var digits: [UInt8]
        if shortest.contains("e") {
            // Below 10⁻⁴: the digits stand after as many zeros as the exponent says.
            let parts = shortest.split(separator: "e")
            let exponent = parts.count == 2 ? -(Int(parts[1]) ?? 0) : 0
            digits = Array(repeating: 0, count: max(0, exponent - 1)) + parts[0].utf8.filter { $0 != UInt8(ascii: ".") }.map { $0 - 0x30 }
        } else {
            let point = shortest.firstIndex(of: ".") ?? shortest.endIndex
            digits = shortest[point...].dropFirst().utf8.map { $0 - 0x30 }
        }
        if seconds < 0 { complement(&digits) }
        if digits.count > 9 {
            let roundsUp = digits[9] >= 5
            digits.removeSubrange(9...)
            if roundsUp, increment(&digits) { return "carry" }
        }
        while digits.last == 0 { digits.removeLast() }
        return String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
    }

    /// 1 − 0.d₁d₂…
    private static func complement(_ digits: inout [UInt8]) {
        for index in digits.indices { digits[index] = 9 - digits[index] }
        _ = increment(&digits)
    }

    /// Adds one to the last digit; true if it runs over.
    private static func increment(_ digits: inout [UInt8]) -> Bool {
        for index in digits.indices.reversed() {
            if digits[index] < 9 {
                digits[index] += 1
                return false
            }
            digits[index] = 0
        }
        return true
    }

    private static func append(_ number: Int, width: Int, to text: inout String) {
        let digits = String(number)
        for _ in digits.utf8.count..<max(width, digits.utf8.count) { text += "0" }
        text += digits
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -((b - 1 - a) / b) }

    /// Year, month and day of the day that is `days` after 1970-01-01, counting years from 1 March in eras of 400 years.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1))
    }

    private static func day(year: Int64, month: Int, day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Reads a date, `2001-02-03`, or a date and time, `2001-02-03T04:05[:06[.789]][Z|±hh:mm]`; without a zone it is UTC.
    /// - Returns: seconds since 2001, or nil if the text is no date.
    static func seconds(_ text: String) -> Double? {
        var scanner = DigitScanner(text)
        let sign: Int64? = scanner.skip("-") ? -1 : scanner.skip("+") ? 1 : nil
        guard let year = sign == nil ? scanner.number(digits: 4...4) : scanner.number(digits: 4...9), scanner.skip("-"),
            let month = scanner.number(digits: 2...2), scanner.skip("-"), let dayOfMonth = scanner.number(digits: 2...2),
            (1...12).contains(month), (1...length(ofMonth: Int(month), year: (sign ?? 1) * year)).contains(Int(dayOfMonth))
        else { return nil }
        var whole = (day(year: (sign ?? 1) * year, month: Int(month), day: Int(dayOfMonth)) - referenceDay) * 86_400
        if scanner.isAtEnd { return Double(whole) }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "), let hour = scanner.number(digits: 2...2), hour < 24, scanner.skip(":"),
            let minute = scanner.number(digits: 2...2), minute < 60
        else { return nil }
        whole += hour * 3600 + minute * 60
        var digits: [UInt8] = []
        if scanner.skip(":") {
            guard let second = scanner.number(digits: 2...2), second < 60 else { return nil }
            whole += second
            if scanner.skip(".") {
                digits = scanner.digits()
                guard !digits.isEmpty, digits.count <= 18 else { return nil }
            }
        }
        if !scanner.skip("Z"), !scanner.skip("z"), !scanner.isAtEnd {
            guard let direction: Int64 = scanner.skip("-") ? 1 : scanner.skip("+") ? -1 : nil, let hours = scanner.number(digits: 2...2), hours < 24 else {
                return nil
            }
            _ = scanner.skip(":")
            guard let minutes = scanner.number(digits: 2...2), minutes < 60 else { return nil }
            whole += direction * (hours * 3600 + minutes * 60)
        }
        return scanner.isAtEnd ? value(whole, digits) : nil
    }

    private static func length(ofMonth month: Int, year: Int64) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// `whole` + 0.d₁d₂…, rounded once: the decimal text is put together first.
    private static func value(_ whole: Int64, _ digits: [UInt8]) -> Double? {
        if digits.allSatisfy({ $0 == 0 }) { return Double(whole) }
        var digits = digits
        var magnitude = whole
        if whole < 0 {
            complement(&digits)
            magnitude = -whole - 1
        }
        return Double((whole < 0 ? "-" : "") + "\(magnitude)." + String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self))
    }
}

/// Reads numbers and separators off the front of a text.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digits() -> [UInt8] {
        let digits = rest.prefix { (0x30...0x39).contains($0) }.map { $0 - 0x30 }
        rest.removeFirst(digits.count)
        return digits
    }

    mutating func number(digits count: ClosedRange<Int>) -> Int64? {
        let digits = digits()
        guard count.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1) }
    }
}
