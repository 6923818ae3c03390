internal import CSystem
package import Foundation

/// SHA-2 (FIPS 180-4), computed over one or several pieces.
package struct SHA2<Function: SHA2Function>: Sendable {
    private var state = Function.start
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    /// The block size in bytes: 16 words. The state has eight words, the length at the end two.
    private static var blockSize: Int { 16 * MemoryLayout<Function.Word>.size }

    package init() {}

    package mutating func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { update(buffer: $0) }
    }

    /// The digest of all bytes so far. More bytes may be added afterwards.
    package func digest() -> [UInt8] {
        var last = self
        var padding: [UInt8] = [0x80]
        let block = Self.blockSize, lengthSize = block / 8
        padding += [UInt8](
            repeating: 0,
            count: (2 * block - lengthSize - 1 - Int(length % UInt64(block))) % block + lengthSize - 8)
        withUnsafeBytes(of: (length &* 8).bigEndian) { padding += Array($0) }
        last.update(padding)
        var digest: [UInt8] = []
        for word in last.state { withUnsafeBytes(of: word.bigEndian) { digest += Array($0) } }
        return digest
    }

    package static func digest(_ bytes: some ContiguousBytes) -> [UInt8] {
        var hash = Self()
        hash.update(bytes)
        return hash.digest()
    }

    private mutating func update(buffer: UnsafeRawBufferPointer) {
        let block = Self.blockSize
        length &+= UInt64(buffer.count)
        var start = 0
        if !pending.isEmpty {
            start = min(block - pending.count, buffer.count)
            pending.append(contentsOf: buffer[..<start])
            guard pending.count == block else { return }
            pending.withUnsafeBytes { compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = (buffer.count - start) / block * block
        compress(UnsafeRawBufferPointer(rebasing: buffer[start..<start + whole]))
        pending.append(contentsOf: buffer[(start + whole)...])
    }

    /// Processes whole blocks. The length of `blocks` is a multiple of the block size, and the C
    /// function retains no pointers.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        state.withUnsafeMutableBufferPointer {
            guard let state = $0.baseAddress, let start = blocks.baseAddress else { return }
            Function.compress(
                state, start.assumingMemoryBound(to: UInt8.self), blocks.count / Self.blockSize)
        }
    }
}

/// The parameters of one function of the SHA-2 family.
package protocol SHA2Function: Sendable {
    associatedtype Word: FixedWidthInteger & Sendable
    /// The initial state: eight words.
    static var start: [Word] { get }
    /// Processes `count` blocks.
    static func compress(_ state: UnsafeMutablePointer<Word>, _ blocks: UnsafePointer<UInt8>, _ count: Int)
}

package typealias SHA256 = SHA2<SHA256Function>
package typealias SHA512 = SHA2<SHA512Function>

package enum SHA256Function: SHA2Function {
    package static let start: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    package static func compress(
        _ state: UnsafeMutablePointer<UInt32>, _ blocks: UnsafePointer<UInt8>, _ count: Int
    ) { folio_sha256(state, blocks, count) }
}

package enum SHA512Function: SHA2Function {
    package static let start: [UInt64] = [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]

    package static func compress(
        _ state: UnsafeMutablePointer<UInt64>, _ blocks: UnsafePointer<UInt8>, _ count: Int
    ) { folio_sha512(state, blocks, count) }
}

extension SHA2 where Function == SHA256Function {
    /// The digest as computed without special processor instructions, for tests.
    package static func portableDigest(_ bytes: some ContiguousBytes) -> [UInt8] {
        SHA2<PortableSHA256Function>.digest(bytes)
    }
}

private enum PortableSHA256Function: SHA2Function {
    static var start: [UInt32] { SHA256Function.start }

    static func compress(_ state: UnsafeMutablePointer<UInt32>, _ blocks: UnsafePointer<UInt8>, _ count: Int) {
        folio_sha256_portable(state, blocks, count)
    }
}
