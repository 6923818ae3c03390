import Folio

extension NaturalKey {
    /// The values of one object. Texts are the same where their bytes are, as in a store, which
    /// tells `é` of one scalar from `é` of two.
    struct Values: Hashable {
        let list: [PropertyValue]

        init(_ list: [PropertyValue]) { self.list = list }

        static func == (left: Values, right: Values) -> Bool { left.list.elementsEqual(right.list, by: isSame) }

        /// Whether a store would not tell two values apart.
        static func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
            guard case .string(let text) = left, case .string(let other) = right else { return left == right }
            return text.utf8.elementsEqual(other.utf8)
        }

        func hash(into hasher: inout Hasher) {
            // Texts of different bytes may have one hash.
            hasher.combine(list)
        }
    }
}
