internal import ModelFiles
package import Storage

extension AtomicPersistentStore {
    /// All store types that are read and written as a whole: in memory, XML, and Folio's binary
    /// format.
    package static let builtInFactories = [
        inMemoryFactory, xmlFactory,
        binaryFactory(ModelCoding(encode: { try ModelCache.encode($0) }, decode: { try ModelCache.decode($0) })),
    ]
}
