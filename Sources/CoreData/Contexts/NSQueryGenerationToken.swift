public import Foundation
import ObjectGraph

/// A state of a store that contexts can be pinned to.
public final class NSQueryGenerationToken: NSObject, NSCopying, Sendable {
    let folio: QueryGenerationToken

    init(_ token: QueryGenerationToken) { folio = token }

    /// The generation at the next reading.
    public class var current: NSQueryGenerationToken { NSQueryGenerationToken(.current) }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSQueryGenerationToken)?.folio == folio }
    public override var hash: Int { folio.hashValue }
    /// The token itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
