internal import CSystem
package import Foundation

/// SHA-256 (FIPS 180-4), over one piece or several.
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    private let isPortable: Bool

    package init() { self.init(isPortable: !Self.isAccelerated) }

    private init(isPortable: Bool) { self.isPortable = isPortable }

    package mutating func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { update(buffer: $0) }
    }

    /// The 32 bytes of the digest of everything seen so far; the hash may go on being updated.
    package func digest() -> [UInt8] {
        var last = self
        var padding: [UInt8] = [0x80]
        padding += [UInt8](repeating: 0, count: (119 - Int(length % 64)) % 64)
        withUnsafeBytes(of: (length &* 8).bigEndian) { padding += Array($0) }
        last.update(padding)
        return last.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
    }

    package static func digest(_ bytes: some ContiguousBytes) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.digest()
    }

    /// The digest as a processor without instructions for it makes it.
    package static func portableDigest(_ bytes: some ContiguousBytes) -> [UInt8] {
        var hash = SHA256(isPortable: true)
        hash.update(bytes)
        return hash.digest()
    }

    private mutating func update(buffer: UnsafeRawBufferPointer) {
        length &+= UInt64(buffer.count)
        var start = 0
        if !pending.isEmpty {
            start = min(64 - pending.count, buffer.count)
            pending.append(contentsOf: buffer[..<start])
            guard pending.count == 64 else { return }
            let block = pending
            block.withUnsafeBytes { compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = (buffer.count - start) / 64 * 64
        compress(UnsafeRawBufferPointer(rebasing: buffer[start..<start + whole]))
        pending.append(contentsOf: buffer[(start + whole)...])
    }

    /// Whether the processor has instructions for this.
    private static let isAccelerated = folio_sha256_available() != 0

    /// Takes in whole blocks.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        if isPortable { return compressPortably(blocks) }
        // `blocks` is a multiple of a block long, `state` has eight words; neither is kept.
        state.withUnsafeMutableBufferPointer {
            folio_sha256_blocks($0.baseAddress, blocks.bindMemory(to: UInt8.self).baseAddress, blocks.count / 64)
        }
    }

    /// Takes in whole blocks, by arithmetic alone.
    ///
    /// The pointers are safe: `blocks` is a multiple of a block long, every place read in it lies
    /// inside the block at `start`; `w` and `k` have 64 places and are used at 0…63 only; none of
    /// them leaves its closure.
    private mutating func compressPortably(_ blocks: UnsafeRawBufferPointer) {
        var a0 = state[0], b0 = state[1], c0 = state[2], d0 = state[3]
        var e0 = state[4], f0 = state[5], g0 = state[6], h0 = state[7]
        // Plain loops over plain pointers: a build without optimization, as all tests are, takes
        // ten times as long over ranges and buffers.
        Self.constants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
                guard let k = constants.baseAddress, let w = words.baseAddress else { return }
                var start = 0
                while start < blocks.count {
                    var i = 0
                    while i < 16 {
                        w[i] = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: start + 4 * i, as: UInt32.self))
                        i += 1
                    }
                    while i < 64 {
                        let w15 = w[i - 15], w2 = w[i - 2]
                        let s0 = (w15 >> 7 | w15 << 25) ^ (w15 >> 18 | w15 << 14) ^ (w15 >> 3)
                        let s1 = (w2 >> 17 | w2 << 15) ^ (w2 >> 19 | w2 << 13) ^ (w2 >> 10)
                        w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
                        i += 1
                    }
                    var a = a0, b = b0, c = c0, d = d0, e = e0, f = f0, g = g0, h = h0
                    i = 0
                    while i < 64 {
                        let s1 = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)
                        let choice = g ^ (e & (f ^ g))
                        let t1 = h &+ s1 &+ choice &+ k[i] &+ w[i]
                        let s0 = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)
                        let majority = (a & b) | (c & (a | b))
                        h = g
                        g = f
                        f = e
                        e = d &+ t1
                        d = c
                        c = b
                        b = a
                        a = t1 &+ s0 &+ majority
                        i += 1
                    }
                    a0 &+= a
                    b0 &+= b
                    c0 &+= c
                    d0 &+= d
                    e0 &+= e
                    f0 &+= f
                    g0 &+= g
                    h0 &+= h
                    start += 64
                }
            }
        }
        state = [a0, b0, c0, d0, e0, f0, g0, h0]
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
