internal import Foundation
internal import Synchronization

/// The primary keys that this process assigns to the texts by which a store identifies its objects.
///
/// IDs are compared by key and may outlive the store's session, so a text keeps its key as long as
/// an ID of the store exists.
package final class StoreReferences: Sendable {
    private struct Table {
        var keys: [String: Int64] = [:]
        var texts: [String] = []
    }

    private struct Entry {
        weak var references: StoreReferences?
    }

    /// Smaller keys are assigned by the store itself.
    package static let firstKey: Int64 = 1 << 40
    private static let stores = Mutex<[String: Entry]>([:])

    private let table = Mutex(Table())

    private init() {}

    /// The table of the store with this UUID. All sessions of the store share it.
    package static func shared(storeUUID: String) -> StoreReferences {
        stores.withLock { stores in
            if let known = stores[storeUUID]?.references { return known }
            let new = StoreReferences()
            stores = stores.filter { $0.value.references != nil }
            stores[storeUUID] = Entry(references: new)
            return new
        }
    }

    /// The keys of texts, in the order of the texts. New texts get consecutive keys.
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

    /// The text for a key; nil if there is none.
    package func text(for key: Int64) -> String? {
        guard key >= Self.firstKey else { return nil }
        return table.withLock { table in
            let place = key - Self.firstKey
            return place < Int64(table.texts.count) ? table.texts[Int(place)] : nil
        }
    }

    /// The key for the last component of a URI, without its `p`; nil for an empty text.
    func key(forEscaped text: some StringProtocol) -> Int64? {
        String(text).removingPercentEncoding.flatMap { $0.isEmpty ? nil : keys(for: [$0])[0] }
    }

    /// A text with escapes for a URI. Slashes are escaped too, because they would end the
    /// component.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting(CharacterSet(charactersIn: "/")))
            ?? text
    }

    /// The number that the text represents in canonical decimal form; nil for other text. Such a
    /// text identifies the object with that primary key.
    package static func number(_ text: some StringProtocol) -> Int64? {
        guard let number = Int64(text), number > 0, number < firstKey, String(number) == text else { return nil }
        return number
    }
}
