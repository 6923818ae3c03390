import Folio

/// Prints the differences of two documents as they are found, as text or as one JSON object.
struct DifferenceReport {
    private let console: Console
    private let showsObjects: Bool
    private var json: DifferenceJSON
    private var counts = DifferenceCounts()
    /// The maximum number of bytes that are shown; for longer values only the size and a digest are
    /// shown.
    private static let shownBytes = 48

    /// What is said of a large value whose file is not there.
    private let absence: String

    /// - Parameter isOfStores: Whether stores of packages are compared without the files of their
    ///   large values, as git hands them over.
    init(_ console: Console, showsObjects: Bool, isOfStores: Bool = false) {
        absence = isOfStores ? "in a file" : "missing"
        self.console = console
        self.showsObjects = showsObjects
        json = DifferenceJSON(console.output, showsObjects: showsObjects)
    }

    mutating func begin() {
        if console.isJSON { json.begin() }
    }

    mutating func add(_ difference: ObjectDifference) {
        counts.add(difference)
        if console.isJSON { json.add(difference) } else if showsObjects { print(difference) }
    }

    /// - Returns: Whether there were differences.
    mutating func finish(_ models: (onlyOld: [String], onlyNew: [String])) -> Bool {
        let isDifferent = !counts.isEmpty || !models.onlyOld.isEmpty || !models.onlyNew.isEmpty
        if console.isJSON {
            json.finish(counts, models: models, isDifferent: isDifferent)
            return isDifferent
        }
        if !showsObjects { printTable() }
        for name in models.onlyOld { console.print(Printable.line("removed from the model: \(name)")) }
        for name in models.onlyNew { console.print(Printable.line("added to the model: \(name)")) }
        return isDifferent
    }

    private func printTable() {
        guard !counts.isEmpty else { return }
        var table = Table(headings: ["entity", "added", "removed", "changed"], alignsRight: [false, true, true, true])
        for (name, count) in counts.entities {
            table.append([name, String(count.added), String(count.removed), String(count.changed)])
        }
        table.write(to: console)
    }

    // MARK: One object

    private func print(_ difference: ObjectDifference) {
        console.print(Printable.line("\(difference.change.rawValue) \(difference.object)"))
        for property in difference.properties {
            let old = Self.lines(property.old, absence), new = Self.lines(property.new, absence)
            if case (.list, .list) = (property.old, property.new), difference.change == .changed {
                printMembers(property.name, old, new)
                continue
            }
            if difference.change != .added { print("-", property.name, old.joined(separator: ", ")) }
            if difference.change != .removed { print("+", property.name, new.joined(separator: ", ")) }
        }
    }

    /// Prints the added and removed objects of a relationship.
    private func printMembers(_ name: String, _ old: [String], _ new: [String]) {
        let before = Set(old), after = Set(new)
        let gone = old.filter { !after.contains($0) }, come = new.filter { !before.contains($0) }
        if !gone.isEmpty { print("-", name, gone.joined(separator: ", ")) }
        if !come.isEmpty { print("+", name, come.joined(separator: ", ")) }
        if gone.isEmpty, come.isEmpty {
            print("-", name, old.joined(separator: ", "))
            print("+", name, new.joined(separator: ", "))
        }
    }

    private func print(_ sign: String, _ name: String, _ value: String) {
        console.print(Printable.line("  \(sign) \(name): \(value)"))
    }

    static func lines(_ value: PropertyValue, _ absence: String = "missing") -> [String] {
        if case .list(let elements) = value { return elements.map { text($0, absence) } }
        return [text(value, absence)]
    }

    static func text(_ value: PropertyValue, _ absence: String = "missing") -> String {
        switch value {
        case .object(let id): return "\(id.entity.name)/p\(id.key)"
        case .data(let bytes) where bytes.count > shownBytes:
            return "<\(bytes.count) bytes, SHA-256 \(value.shortDigest ?? "")…>"
        case .large(let large):
            guard let count = try? large.count else { return "<\(absence): \(large.fileName ?? "")>" }
            if count > shownBytes { return "<\(count) bytes, SHA-256 \(value.shortDigest ?? "")…>" }
            return (try? large.data()).map { text(.data($0)) } ?? "<unreadable>"
        default:
            let sink = ByteSink(descriptor: nil)
            var writer = JSONWriter(sink, style: .compact)
            writer.property(value)
            return sink.text
        }
    }
}
