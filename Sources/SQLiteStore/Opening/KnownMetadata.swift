import Coding
import Storage

/// The metadata that a session read or wrote last, with their bytes: what a document notes at every commit is written over these, which is most of the work of a small
/// commit otherwise.
struct KnownMetadata {
    let plist: [UInt8]
    let metadata: StoreMetadata
    /// The same bytes, where this session wrote them.
    private let list: EditablePropertyList?

    init(read plist: [UInt8], _ metadata: StoreMetadata) {
        self.plist = plist
        self.metadata = metadata
        list = nil
    }

    init(writing metadata: StoreMetadata) { self.init(metadata, metadata.editable) }

    private init(_ metadata: StoreMetadata, _ list: EditablePropertyList) {
        plist = list.bytes
        self.metadata = metadata
        self.list = list
    }

    /// These with some values exchanged; nil where they have to be written anew.
    func exchanging(_ changes: [String: MetadataValue?]) throws(StorageError) -> KnownMetadata? {
        guard var list else { return nil }
        let next = try metadata.applying(changes)
        for key in changes.keys {
            let value = next.value(key), known = metadata.value(key)
            if value == known { continue }
            guard let value, list.exchange(key, for: value) else { return nil }
        }
        return KnownMetadata(next, list)
    }
}
