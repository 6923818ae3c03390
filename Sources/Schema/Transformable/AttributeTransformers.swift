internal import Synchronization

/// The registry of the transformers that models refer to by name
/// (``AttributeDescription/valueTransformerName``). It is safe to use from any thread.
///
/// Attributes with one of Core Data's names such as `NSSecureUnarchiveFromData`, or without a name,
/// use a ``SecureArchiveTransformer``; without a name it also keeps objects of classes that declare
/// `NSSecureCoding`.
public enum AttributeTransformers {
    private static let known = Mutex<[String: any AttributeTransformer]>([
        "NSSecureUnarchiveFromData": SecureArchiveTransformer(),
        "NSSecureUnarchiveFromDataTransformerName": SecureArchiveTransformer(),
        // The name that older models use, for what attributes without a name have.
        "NSKeyedUnarchiveFromData": SecureArchiveTransformer.standard,
        "NSKeyedUnarchiveFromDataTransformerName": SecureArchiveTransformer.standard,
    ])

    /// Registers a transformer under a name, replacing the one that had the name.
    public static func register(_ transformer: some AttributeTransformer, named name: String) {
        known.withLock { $0[name] = transformer }
    }

    /// Removes the transformer with a name; does nothing if there is none.
    public static func unregister(_ name: String) { known.withLock { $0[name] = nil } }

    /// The transformer registered under a name; nil if there is none.
    public static func transformer(named name: String) -> (any AttributeTransformer)? { known.withLock { $0[name] } }

    /// The names of all registered transformers, sorted.
    public static var names: [String] { known.withLock { $0.keys.sorted() } }
}
