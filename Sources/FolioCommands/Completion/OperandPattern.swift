/// Which operands a command takes in which place, as its usage line says it:
/// `DOC (OBJECT…|ENTITY --where PREDICATE) KEY=VALUE…`.
struct OperandPattern: Sendable {
    /// The words of each place, such as `OBJECT` and `ENTITY`.
    private var places: [[String]] = []
    /// From where on the last places are repeated.
    private var repeated: Int?

    init(_ usage: String, options: [OptionSpecification]) {
        var skipsValue = false
        for part in usage.split(separator: " ") {
            let bare = part.trimmingPrefix { "[(".contains($0) }
            // An option, or what stands behind one.
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

    /// What can stand in a place, counted from 0: `DOC`, `ENTITY` and so on, or a word in small
    /// letters that is meant as it stands.
    func words(at index: Int) -> [String] {
        if index < places.count, repeated.map({ index <= $0 }) ?? true { return places[index] }
        // Behind the first that may be repeated there is another of it, or what follows it.
        guard let repeated else { return [] }
        return places[repeated...].reduce([]) { $0 + $1 }
    }
}
