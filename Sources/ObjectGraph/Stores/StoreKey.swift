/// How an object is numbered where several stores stand behind one coordinator: by its number in
/// its store, and above that by the place of the store.
///
/// The first store has place 0, so that where there is one only, numbers are those of the store.
enum StoreKey {
    private static let bits: Int64 = 48
    static let greatestKey: Int64 = 1 << bits - 1
    static let largestIndex = 1 << 14

    static func place(of key: Int64) -> Int { Int(key >> bits) }

    static func local(_ key: Int64) -> Int64 { key & greatestKey }

    static func key(_ local: Int64, place: Int) -> Int64 { Int64(place) << bits | local }
}
