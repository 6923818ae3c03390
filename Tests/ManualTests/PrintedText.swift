import Foundation

/// What a program printed, beside what a page says that it prints.
enum PrintedText {
    /// Lines as they can be compared: identities and today's dates are different in every run, and
    /// columns as wide as these.
    static func comparable(_ line: String) -> String {
        line.replacing(/[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}/, with: "UUID")
            .replacing(
                /20(?:2[6-9]|[3-9]\d)-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?UTC|Z)?)?/, with: "TODAY"
            )
            .replacing(/\bpid \d+/, with: "pid N").replacing(/after \d+ bytes/, with: "after N bytes")
            .replacing(/"bytes": \d{4,}/, with: "\"bytes\": N")
            // What keeping a version takes: its dates are packed with it.
            .replacing(/(TODAY +(?:save|migration|restore|conflict) +\d+ +)\d+/) { "\($0.output.1)N" }
            .replacing(/[ ]{2,}/, with: "  ").replacing(/-{3,}/, with: "---")
            .replacing("TODAY  ", with: "TODAY ")
    }

    /// The number of the first line that differs. A line `…` of the page stands for any lines.
    static func difference(_ printed: [String], _ page: [String]) -> Int? {
        let printed = printed.map(comparable), page = page.map(comparable)
        var position = 0
        var mayPass = false
        for (number, line) in page.enumerated() {
            if line == "…" {
                mayPass = true
                continue
            }
            guard let found = mayPass ? printed[position...].firstIndex(of: line) : position, found < printed.count,
                printed[found] == line
            else { return number }
            (position, mayPass) = (found + 1, false)
        }
        return position == printed.count || mayPass ? nil : page.count
    }

    /// What the page has from now on: an abbreviated text that still fits is left as it is, and so
    /// is one that differs in identities and dates alone.
    static func merged(_ printed: [String], _ page: [String]) -> [String] {
        difference(printed, page) == nil ? page : printed
    }

    /// Lines of an output, without the end of the last one.
    static func lines(_ text: some StringProtocol) -> [String] {
        var lines = text.components(separatedBy: "\n")
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
