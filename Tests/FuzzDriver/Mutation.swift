import TestSupport

extension SplitMix {
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    /// A place in some bytes; headers and ends more often than the rest.
    private mutating func place(in bytes: [UInt8]) -> Int {
        switch next() % 4 {
        case 0: below(min(bytes.count, 128))
        case 1: bytes.count - 1 - below(min(bytes.count, 128))
        default: below(bytes.count)
        }
    }

    /// Bytes with one to four changes: extreme numbers, flipped bits, pieces that are zeroed,
    /// exchanged, doubled or cut away.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...(next() % 4) where !bytes.isEmpty {
            let place = place(in: bytes), length = 1 + below(min(64, bytes.count - place))
            switch next() % 12 {
            case 0...3:
                putExtreme(into: &bytes, at: place, count: [1, 2, 4, 8][below(4)], isBigEndian: next() % 2 == 0)
            case 4:
                // A whole field of eight bytes, of any value.
                let number = next()
                for index in place..<min(place + 8, bytes.count) {
                    bytes[index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (index - place)))
                }
            case 5...7: bytes[place] ^= 1 << UInt8(next() % 8)
            case 8: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 9: for index in place..<place + length { bytes[index] = 0 }
            case 10:
                let piece = Array(bytes[place..<place + length])
                bytes.insert(contentsOf: piece, at: below(bytes.count))
            default:
                if next() % 4 == 0 {
                    bytes.removeLast(below(bytes.count))
                } else {
                    bytes.removeSubrange(place..<place + length)
                }
            }
        }
        return bytes
    }
}
