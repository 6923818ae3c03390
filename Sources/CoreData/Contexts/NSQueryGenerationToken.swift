public import Foundation
import ObjectGraph

/// A state of a store that contexts can be pinned to.
// Sendable because its stored property is a constant of a Sendable type. A subclass that adds some
// keeps them safe itself, as on Apple's platforms.
open class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
    let folio: QueryGenerationToken

    init(_ token: QueryGenerationToken) { folio = token }

    /// The generation at the next reading.
    open class var current: NSQueryGenerationToken { NSQueryGenerationToken(.current) }

    open override func isEqual(_ object: Any?) -> Bool { (object as? NSQueryGenerationToken)?.folio == folio }
    open override var hash: Int { folio.hashValue }
    /// The token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
