import Coding
import Storage

/// The metadata that a session last read or wrote, with their encoded bytes. A document's metadata
/// changes at every commit edit these bytes in place, because encoding everything anew would be
/// most of the work of a small commit.
struct KnownMetadata {
    let plist: [UInt8]
    private let read: StoreMetadata
    /// The values changed since reading. They are merged only on demand.
    private let exchanged: [String: PropertyListValue]
    /// The encoded bytes in editable form, if this session wrote them.
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

    /// The metadata with some values changed; nil if they must be encoded anew or a key is
    /// reserved.
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
