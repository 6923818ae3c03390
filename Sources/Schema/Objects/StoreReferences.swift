internal import Foundation
internal import Synchronization

/// The numbers that stand, in this process, for the texts that a store knows its objects by.
///
/// IDs are compared by number, and outlive the opening of a store: a text keeps its number as long
/// as anything holds an ID of the store.
package final class StoreReferences: Sendable {
    private struct Table {
        var keys: [String: Int64] = [:]
        var texts: [String] = []
    }

    private struct Entry {
        weak var references: StoreReferences?
    }

    /// Numbers below are the store's own.
    package static let firstKey: Int64 = 1 << 40
    private static let stores = Mutex<[String: Entry]>([:])

    private let table = Mutex(Table())

    private init() {}

    /// The table of the store with this UUID.
    package static func shared(storeUUID: String) -> StoreReferences {
        stores.withLock { stores in
            if let known = stores[storeUUID]?.references { return known }
            let new = StoreReferences()
            stores = stores.filter { $0.value.references != nil }
            stores[storeUUID] = Entry(references: new)
            return new
        }
    }

    /// The numbers of texts, in their order; those that have none get the next ones, one after the
    /// other.
    package func keys(for texts: [String]) -> [Int64] {
        table.withLock { table in
            texts.map { text in
                if let key = table.keys[text] { return key }
                let key = Self.firstKey + Int64(table.texts.count)
                table.texts.append(text)
                table.keys[text] = key
                return key
            }
        }
    }

    /// Nil for a number that stands for no text.
    package func text(for key: Int64) -> String? {
        guard key >= Self.firstKey else { return nil }
        return table.withLock { table in
            let place = key - Self.firstKey
            return place < Int64(table.texts.count) ? table.texts[Int(place)] : nil
        }
    }

    /// The text of a URI's last component, without its `p`; nil for one that has a number or is
    /// none.
    func key(forEscaped text: some StringProtocol) -> Int64? {
        String(text).removingPercentEncoding.flatMap { $0.isEmpty ? nil : keys(for: [$0])[0] }
    }

    /// A text as it stands in a URI: a slash would end the component.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting(CharacterSet(charactersIn: "/")))
            ?? text
    }

    /// The number that a text is, written as numbers are: such a text stands for the number itself.
    package static func number(_ text: some StringProtocol) -> Int64? {
        guard let number = Int64(text), number > 0, number < firstKey, String(number) == text else { return nil }
        return number
    }
}
