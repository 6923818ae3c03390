public import Foundation
import Storage

/// A position in the history of a store.
// Sendable because its stored property is a constant of a Sendable type. A subclass that adds some
// keeps them safe itself, as on Apple's platforms.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let folio: PersistentHistoryToken

    init(_ token: PersistentHistoryToken) { folio = token }

    /// Creates the position before the first transaction, of no store.
    public override init() { folio = PersistentHistoryToken(storeUUID: "", number: 0) }

    /// Reads an archived token; nil for data that are none.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "token") as Data?,
            let token = try? JSONDecoder().decode(PersistentHistoryToken.self, from: data)
        else { return nil }
        folio = token
    }

    open class var supportsSecureCoding: Bool { true }

    /// Archives the token.
    open func encode(with coder: NSCoder) {
        if let data = try? JSONEncoder().encode(folio) { coder.encode(data as NSData, forKey: "token") }
    }

    open override func isEqual(_ object: Any?) -> Bool { (object as? NSPersistentHistoryToken)?.folio == folio }
    open override var hash: Int { folio.hashValue }
    /// The token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
