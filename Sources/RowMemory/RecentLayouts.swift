internal import Synchronization

/// The layouts of the models that were used last. Models are told apart by their number, which no
/// two of a process share.
enum RecentLayouts {
    private static let greatestCount = 8
    private static let entries = Mutex<[(modelNumber: UInt64, layouts: [RowLayout])]>([])

    static func layouts(modelNumber: UInt64) -> [RowLayout]? {
        entries.withLock { entries in entries.last { $0.modelNumber == modelNumber }?.layouts }
    }

    static func keep(_ layouts: [RowLayout], modelNumber: UInt64) {
        entries.withLock { entries in
            if entries.count == greatestCount { entries.removeFirst() }
            entries.append((modelNumber, layouts))
        }
    }
}
