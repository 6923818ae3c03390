public import Foundation
import Storage

/// A position in the history of a store.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    let folio: PersistentHistoryToken

    init(_ token: PersistentHistoryToken) { folio = token }

    /// Reads an archived token; nil for data that are none.
    public init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "token") as Data?,
            let token = try? JSONDecoder().decode(PersistentHistoryToken.self, from: data)
        else { return nil }
        folio = token
    }

    public static var supportsSecureCoding: Bool { true }

    /// Archives the token.
    public func encode(with coder: NSCoder) {
        if let data = try? JSONEncoder().encode(folio) { coder.encode(data as NSData, forKey: "token") }
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSPersistentHistoryToken)?.folio == folio }
    public override var hash: Int { folio.hashValue }
    /// The token itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
