internal import Synchronization

/// The transformers that models name (`valueTransformerName`).
///
/// Without a name, and under Core Data's names for it, an attribute is kept as a keyed archive of
/// Foundation's own values: ``SecureArchiveTransformer``.
public enum AttributeTransformers {
    private static let known = Mutex<[String: any AttributeTransformer]>([
        "NSSecureUnarchiveFromData": SecureArchiveTransformer(),
        "NSSecureUnarchiveFromDataTransformerName": SecureArchiveTransformer(),
        // Named so in models of the first years. Nothing is ever made of it but what the other one
        // makes.
        "NSKeyedUnarchiveFromData": SecureArchiveTransformer(),
        "NSKeyedUnarchiveFromDataTransformerName": SecureArchiveTransformer(),
    ])

    /// Makes a transformer known, in the place of one of that name.
    public static func register(_ transformer: some AttributeTransformer, named name: String) {
        known.withLock { $0[name] = transformer }
    }

    /// The transformer of a name; nil if none was registered.
    public static func transformer(named name: String) -> (any AttributeTransformer)? { known.withLock { $0[name] } }

    public static var names: [String] { known.withLock { $0.keys.sorted() } }
}
