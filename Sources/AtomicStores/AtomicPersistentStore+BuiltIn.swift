internal import ModelFiles
package import Storage

extension AtomicPersistentStore {
    /// All store types that are read and written as a whole: in memory, XML, and Folio's binary
    /// format.
    package static let builtInFactories = [
        inMemoryFactory, xmlFactory, binaryFactory(modelCoding),
    ]

    private static let modelCoding = ModelCoding(
        encode: { try ModelCache.encode($0) }, decode: { try ModelCache.decode($0) })

    /// The format of a built-in type of stores in files.
    static func builtInFormat(_ type: StoreType) -> StoreFormat? {
        switch type {
        case .xml: .xml
        case .binary: .binary(modelCoding)
        default: nil
        }
    }
}
