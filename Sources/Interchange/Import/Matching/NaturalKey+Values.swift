import Folio

extension NaturalKey {
    /// The values of one object. Texts are compared by their bytes, as in a store: canonically
    /// equivalent texts differ.
    struct Values: Hashable {
        let list: [PropertyValue]

        init(_ list: [PropertyValue]) { self.list = list }

        static func == (left: Values, right: Values) -> Bool { left.list.elementsEqual(right.list, by: isSame) }

        /// Whether two values are equal in a store.
        static func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
            guard case .string(let text) = left, case .string(let other) = right else { return left == right }
            return text.utf8.elementsEqual(other.utf8)
        }

        func hash(into hasher: inout Hasher) {
            // Texts with different bytes may have the same hash.
            hasher.combine(list)
        }
    }
}
