/// The primary keys that contexts use if a coordinator has several stores: the primary key in the
/// store, with the index of the store in the upper bits.
///
/// The first store has index 0, so with a single store the primary keys are those of the store.
enum StoreKey {
    private static let bits: Int64 = 48
    static let greatestKey: Int64 = 1 << bits - 1

    static func place(of key: Int64) -> Int { Int(key >> bits) }

    static func local(_ key: Int64) -> Int64 { key & greatestKey }

    static func key(_ local: Int64, place: Int) -> Int64 { Int64(place) << bits | local }
}
