/// The operands of a command by position, parsed from its usage line: `DOC (OBJECT…|ENTITY --where
/// PREDICATE) KEY=VALUE…`.
struct OperandPattern: Sendable {
    /// The words at each position, such as `OBJECT` and `ENTITY`.
    private var places: [[String]] = []
    /// The position from which on the operands repeat.
    private var repeated: Int?

    init(_ usage: String, options: [OptionSpecification]) {
        var skipsValue = false
        for part in usage.split(separator: " ") {
            let bare = part.trimmingPrefix { "[(".contains($0) }
            // An option, or the value of one.
            if skipsValue || bare.hasPrefix("-") {
                let isClosed = bare.contains { "])".contains($0) }
                skipsValue =
                    !skipsValue && !isClosed && options.contains { $0.value != nil && $0.names.contains(String(bare)) }
                continue
            }
            var words: [String] = []
            for word in bare.split(separator: "|") {
                let name = word.prefix { !"…])".contains($0) }
                if word.contains("…"), repeated == nil { repeated = places.count }
                if !name.isEmpty, !name.hasPrefix("-") { words.append(String(name)) }
            }
            if !words.isEmpty { places.append(words) }
        }
        if let repeated, repeated >= places.count { self.repeated = nil }
    }

    /// The possible words at a position, starting at 0: placeholders such as `DOC` and `ENTITY`, or
    /// lowercase words that are literal.
    func words(at index: Int) -> [String] {
        if index < places.count, repeated.map({ index <= $0 }) ?? true { return places[index] }
        // After the first operand that may repeat, either it repeats or one of the following
        // operands comes.
        guard let repeated else { return [] }
        return places[repeated...].reduce([]) { $0 + $1 }
    }
}
