import Coding
import Storage

/// The metadata that a session read or wrote last, with their bytes: what a document notes at every
/// commit is written over these, which is most of the work of a small commit otherwise.
struct KnownMetadata {
    let plist: [UInt8]
    private let read: StoreMetadata
    /// What was exchanged since: put together with the rest only for whoever asks.
    private let exchanged: [String: PropertyListValue]
    /// The same bytes, where this session wrote them.
    private let list: EditablePropertyList?

    var metadata: StoreMetadata { exchanged.isEmpty ? read : read.exchanging(exchanged) }

    init(read plist: [UInt8], _ metadata: StoreMetadata) {
        self.plist = plist
        read = metadata
        exchanged = [:]
        list = nil
    }

    init(writing metadata: StoreMetadata) { self.init(metadata, [:], metadata.editable) }

    private init(_ metadata: StoreMetadata, _ exchanged: [String: PropertyListValue], _ list: EditablePropertyList) {
        plist = list.bytes
        read = metadata
        self.exchanged = exchanged
        self.list = list
    }

    /// These with some values exchanged; nil where they have to be written anew, or may not be.
    func exchanging(_ changes: [String: MetadataValue?]) -> KnownMetadata? {
        guard var list else { return nil }
        var next = exchanged
        for (key, change) in changes {
            let value = change.map { PropertyListValue($0) }, known = exchanged[key] ?? read.value(key)
            if value == known { continue }
            guard let value, !StoreMetadata.Key.reserved.contains(key), list.exchange(key, for: value) else {
                return nil
            }
            next[key] = value
        }
        return KnownMetadata(read, next, list)
    }
}
